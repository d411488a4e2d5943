const TRACKER = 'PRD.md';
const MARK = { pid: 1, startTime: '1', bootId: 'bench' };
const GREEN = { verdict: 'green', failing: null, tail: '' };

/** The host that lands; as `ralph land` joins, with every setting at its default but the slots. */
export const LANDER = 'h-lander';
export const BASE = { commit: 'base-commit', tree: 'base-tree' };

export const headOf = (item) => `head-${item}`;
const loopOf = (item) => `loop-${String(item).padStart(3, '0')}`;
export const itemOf = (loop) => Number(loop.slice('loop-'.length));

const taskOf = (item) => ({
  id: `t${item}`,
  title: `Task ${item}`,
  body: '',
  acceptance: [],
  group: null,
  deps: [],
  priority: null,
  status: 'open',
  blockedReason: null,
  line: item + 1,
});

/** A log that is written one record at a time, and the state it folds to. */
export function createTale(core, state = core.EMPTY_STATE) {
  let now = state;
  return {
    state: () => now,
    write(...events) {
      const seq = now.seq + 1;
      now = core.fold(now, { seq, at: seq * 1000, by: 'bench', events });
      return seq;
    },
  };
}

/** One loop's life up to green gates of its own; its worktree was given back since. */
function workOn(core, tale, item) {
  const loop = loopOf(item);
  const fence = tale.write({
    type: 'task-claimed',
    loop,
    task: `${TRACKER}#t${item}`,
    host: 'h-worker',
    slot: 1,
    branch: `ralph/${loop}`,
    onto: [],
  });
  const base = { base: BASE.commit, baseTree: BASE.tree };
  const work = { head: headOf(item), tree: `own-tree-${item}` };
  const made = { path: `/bench/${loop}`, ...base, head: BASE.commit, tree: BASE.tree, reused: false };
  tale.write({ type: 'worktree-made', loop, fence, ...made });
  tale.write({
    type: 'iteration-ended',
    loop,
    fence,
    n: 1,
    outcome: 'claimed',
    ...work,
    said: '',
    exit: 0,
    agent: 'bench',
    account: 'bench',
    usage: core.NO_USAGE,
    failure: null,
    hold: null,
    guided: 0,
    durationMs: 1,
    swept: 0,
    odd: null,
  });
  const tested = { tested: `own-tested-${item}`, report: GREEN, durationMs: 1000, protected: [] };
  tale.write({ type: 'gates-ended', loop, fence, n: 1, ...work, ...tested });
  tale.write({ type: 'worktree-retired', loop });
}

/** `count` loops queued to land on a base nobody has tested, with nothing known yet about how often landings fail. */
export function makeReadyState(core, { count, slots }) {
  const { settings } = core.settle([]);
  const policy = core.landPolicy({ settings, tracker: TRACKER, target: 'main', env: {} });
  const items = Array.from({ length: count }, (_, item) => item);
  const tale = createTale(core);
  const works = { ...policy, slots: 1, mergePolicy: 'manual', hasGates: true };
  tale.write({ type: 'host-joined', host: 'h-worker', mark: MARK, policy: works });
  tale.write({ type: 'tasks-read', tracker: TRACKER, digest: 'd', tasks: items.map(taskOf) });
  for (const item of items) workOn(core, tale, item);
  tale.write({ type: 'host-left', host: 'h-worker' });
  tale.write({ type: 'integration-moved', head: BASE.commit }, { type: 'target-moved', head: BASE.commit });
  const lands = { ...policy, hasGates: true, publish: 'manual', train: { ...policy.train, gateSlots: slots } };
  tale.write(
    { type: 'host-joined', host: LANDER, mark: MARK, policy: lands },
    { type: 'landing-requested', items: items.map((item) => ({ loop: loopOf(item), head: headOf(item) })) },
  );
  return tale.state();
}
