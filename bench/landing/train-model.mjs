import { BASE, LANDER, createTale, headOf, itemOf } from './ready-state.mjs';
import { createQueueWorld } from './workload.mjs';

const TURNS_MAX = 10_000;
const REPORTS = {
  true: { verdict: 'green', failing: null, tail: '' },
  false: { verdict: 'red', failing: 'the gate', tail: '' },
};

/** Git as far as landing needs it: a commit is its parent and what was merged; equal contents are equal trees. */
function createGit() {
  const contents = new Map([[BASE.commit, []]]);
  const treeOf = (items) => (items.length === 0 ? BASE.tree : `tree-${items.join('.')}`);
  return {
    itemsIn: (commit) => contents.get(commit),
    treeOf,
    merge(parent, item) {
      const items = [...contents.get(parent), item].toSorted((a, b) => a - b);
      const commit = `${parent === BASE.commit ? 'c' : parent}.${item}`;
      contents.set(commit, items);
      return { commit, tree: treeOf(items) };
    },
  };
}

/**
 * Lands one queue with the product's own fold and wishes. Only the world is a model: merging takes no time and always works,
 * a gate takes 1, a run that is no longer wished is stopped and has been paid for.
 */
export function createTrain(core, ready) {
  return function train(bad) {
    const world = createQueueWorld(bad);
    const git = createGit();
    const tale = createTale(core, ready);
    const running = new Map();
    let now = 0;

    const build = ({ fence, build: number, items }) => {
      const base = tale.state().integration;
      const cars = [];
      for (const loop of items) {
        const item = itemOf(loop);
        const made = git.merge(cars.at(-1)?.commit ?? base, item);
        cars.push({ loop, head: headOf(item), ...made });
      }
      const baseTree = git.treeOf(git.itemsIn(base));
      const nothing = { clashes: [], contained: [], implied: [], broken: [] };
      tale.write({ type: 'train-built', fence, build: number, base, baseTree, cars, ...nothing });
    };
    const advance = ({ fence, from, to }) => {
      const before = new Set(git.itemsIn(from));
      world.land(
        git.itemsIn(to).filter((item) => !before.has(item)),
        now,
      );
      tale.write({ type: 'integration-advanced', fence, commit: to });
    };
    const startTests = (commands) => {
      for (const key of running.keys()) if (!commands.some((command) => command.key === key)) running.delete(key);
      for (const command of commands)
        if (command.type === 'test-candidate' && !running.has(command.key))
          running.set(command.key, { command, endsAt: now + 1, isGreen: world.test(git.itemsIn(command.commit)) });
    };
    const endTest = () => {
      const [key, run] = [...running].reduce((first, other) => (other[1].endsAt < first[1].endsAt ? other : first));
      running.delete(key);
      now = run.endsAt;
      const { fence, tree, again } = run.command;
      tale.write({ type: 'candidate-tested', fence, tree, again, report: REPORTS[run.isGreen], durationMs: 1000 });
    };

    for (let turn = 0; turn < TURNS_MAX; turn += 1) {
      if (core.canLand(tale.state())) tale.write({ type: 'landing-started', host: LANDER });
      const commands = core.wishes(tale.state(), LANDER);
      const instant = commands.find(({ type }) => type === 'build-train' || type === 'advance-integration');
      startTests(commands);
      if (instant != null) (instant.type === 'build-train' ? build : advance)(instant);
      else if (running.size > 0) endTest();
      else return world.end(now);
    }
    throw new Error('the train never comes to an end');
  };
}
