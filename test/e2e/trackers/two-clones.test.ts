import { expect, it } from 'vitest';
import { idOf, listOf } from '../harness/answers.ts';
import { gitIn, refsBelow } from '../harness/git.ts';
import type { Git } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const TIERS = [1, 2, 3, 4];
const IDS = TIERS.flatMap((tier) => [`T-${tier}a`, `T-${tier}b`]);
const GRAPH = `# shared by two clones
nodes:
${IDS.map((id) => `  - {id: ${id}, title: Make ${id}, status: ready, priority: ${id[2]}} # ${id}\n`).join('')}edges: []
meta:
  total_tasks: ${IDS.length}
  by_status: {ready: ${IDS.length}, complete: 0}
`;

/** Runs of both clones at any time; what they land is pushed before anybody else lands. */
function oneAtATime(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
}

it('acceptance 5: two clones race for the tasks of one graph, four runs each: each lands once, duplicates are kept and named', async () => {
  const one = scratch();
  project(one, {
    tasks: { 'task-graph.yaml': GRAPH },
    agent: HONEST,
    config: { parallel: { merge_policy: 'manual' } },
  });
  const [origin, there] = [beside(one, 'origin.git'), beside(one, 'other')];
  one.git('init', '-q', '--bare', '-b', 'main', origin);
  one.git('remote', 'add', 'origin', origin);
  one.git('push', '-q', '-u', 'origin', 'main');
  one.git('clone', '-q', origin, there);
  const other = gitIn(there, one.env);
  other('config', 'user.name', 'Otto Other');
  other('config', 'user.email', 'otto@example.com');
  const alone = oneAtATime();
  const clone = async (cwd: string, git: Git, offsetsMs: readonly number[]): Promise<void> => {
    const call = (...args: readonly string[]) => ralph(one, args, { cwd, isCheckoutGuarded: false });
    for (const [at, tier] of TIERS.entries()) {
      await new Promise((resolve) => setTimeout(resolve, offsetsMs[at]));
      const run = await call('run', '--parallel', '--priority', String(tier));
      expect([0, 1], run.stderr).toContain(run.code);
      await alone(async () => {
        git('pull', '-q', '--ff-only');
        const land = await call('land', '--all');
        expect([0, 1], land.stderr).toContain(land.code);
        git('push', '-q', 'origin', 'main');
      });
    }
  };
  const offsets = (): readonly number[] => TIERS.map(() => Math.random() * 500);
  await Promise.all([clone(one.repo, one.git, offsets()), clone(there, other, offsets())]);

  other('pull', '-q', '--ff-only');
  const landed = other('log', '--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)', 'origin/main')
    .split('\n')
    .filter((line) => line !== '');
  expect(landed.toSorted()).toEqual(IDS.toSorted());
  const text = other('show', 'origin/main:task-graph.yaml');
  expect(text.match(/status: complete/g)).toHaveLength(IDS.length);
  expect(text).toMatch(/by_status: \{ready: 0, complete: 8\}/);
  expect(text).toContain('# shared by two clones');

  const kept = await Promise.all(
    (
      [
        [one.repo, one.git],
        [there, other],
      ] as const
    ).map(async ([cwd, git]) => {
      const { stdout } = await ralph(one, ['loops', 'list', '--all', '--json'], { cwd });
      const loops = listOf(stdout, 'loops');
      const twice = loops
        .filter(({ reason }) => reason === 'duplicate')
        .map(({ id, task }) => ({ id: String(id), task: idOf(task) }));
      const refs = refsBelow(git, 'refs/paralph/keep/');
      for (const { id, task } of twice) {
        const ref = refs.find((name) => name.includes(id)) ?? '';
        expect(git('show', `${ref}:${task}.txt`)).toBe(`made by ${task}`);
      }
      return twice.length;
    }),
  );
  expect((kept[0] ?? 0) + (kept[1] ?? 0), 'what was done twice').toBe(starts(one).length - IDS.length);
});
