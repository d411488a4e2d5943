// How the fold and a turn of the host grow with what is over: `npm run bench -- growth`.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { inRoot } from '../scripts/lib/root.mjs';
import { ms, printTable, median } from './lib/figures.mjs';
import { loadSources } from './lib/load-sources.mjs';
import { makeScratch } from './lib/repository.mjs';

const RECORDS = (process.env.GROWTH ?? '1000,10000,100000').split(',').map(Number);
const RECORDS_PER_LANDING = 10;
const TASKS = [100, 1000, 3000, 10_000];
const LOOPS = 200;
const TURNS = 5;
const usage = {
  inputTokens: 1,
  cachedTokens: 0,
  outputTokens: 1,
  costUsd: null,
  costKind: null,
  turns: 1,
  model: null,
};
const GREEN = { verdict: 'green', failing: null, tail: '' };

const entry = join(makeScratch(), 'growth.ts');
const from = (path) => JSON.stringify(inRoot(`src/core/${path}`));
writeFileSync(
  entry,
  `export { foldAll } from ${from('fold/fold.ts')};
export { schedule, isSpent } from ${from('plan/schedule.ts')};
export { wishes } from ${from('plan/wishes.ts')};
export { canLand } from ${from('loops/landing-queue.ts')};
export { conflictsToMend } from ${from('loops/rework.ts')};
export { EMPTY_STATE } from ${from('model/model.ts')};`,
);
const core = await loadSources(entry);

const policy = (slots) => ({
  tracker: 'PRD.md',
  slots,
  strategy: 'queue',
  mergePolicy: 'auto_merge',
  limits: {
    iterations: 10,
    runtimeMs: 1e9,
    noProgress: 3,
    attempts: 1,
    consecutiveFailures: 3,
    graceMs: 100,
    maxCostUsd: null,
    maxTokens: null,
    freeMb: 0,
  },
  target: 'main',
  publish: 'end',
  method: 'merge',
  agents: [{ name: 'ann', account: 'a' }],
  budget: { maxCostUsd: null, maxTokens: null },
  resolver: null,
  gatesHash: 'g',
  hasGates: true,
  base: 'off',
  gateTimeoutAuto: false,
  train: { gateSlots: 1, cores: 4, flakeRetries: 'auto', onConflict: 'requeue', maxAttempts: 2 },
  place: { at: 'worktree' },
  only: null,
});

const task = (n) => ({
  id: `t${n}`,
  title: `Do ${n}`,
  body: '',
  acceptance: [],
  group: null,
  deps: [],
  priority: null,
  status: 'open',
  blockedReason: null,
  line: n,
});

/** A log that lands one task after the other, each in so many records. */
function logOf(records, tasks, slots = 4) {
  const log = [];
  const write = (...events) => log.push({ seq: log.length + 1, at: 1000 + log.length, by: 'h', events });
  const mark = { pid: 1, startTime: '1', bootId: 'b' };
  write({ type: 'host-joined', host: 'h', mark, policy: policy(slots) });
  write({
    type: 'tasks-read',
    tracker: 'PRD.md',
    digest: 'd',
    tasks: Array.from({ length: tasks }, (_, n) => task(n)),
  });
  write({ type: 'integration-moved', head: 'c0', users: true });
  for (let n = 0; log.length + RECORDS_PER_LANDING <= records && n < tasks; n += 1) landOne(log, write, n);
  return log;
}

function beginOne(log, write, n, slot) {
  const [loop, fence] = [`t${n}-x`, log.length + 1];
  write({ type: 'task-claimed', loop, task: `PRD.md#t${n}`, host: 'h', slot, branch: `ralph/${loop}`, onto: [] });
  const base = { base: 'c0', baseTree: 'r0', head: 'c0', tree: 'r0' };
  write({ type: 'worktree-made', loop, fence, path: `/w/${n}`, ...base, reused: false });
  return { loop, fence };
}

function landOne(log, write, n) {
  const { loop, fence } = beginOne(log, write, n, 1);
  const ended = { loop, fence, n: 1, head: `h${n}`, tree: `r${n + 1}`, durationMs: 1000 };
  const said = { outcome: 'claimed', said: 'done', exit: 0, agent: 'ann', account: 'a', usage, failure: null };
  write({ type: 'loop-progressed', loop, n: 1, text: 'half way' });
  write({ type: 'iteration-ended', ...ended, ...said, hold: null, guided: 0, swept: 0, odd: null, breach: null });
  write({ type: 'gates-ended', ...ended, tested: `q${n}`, report: GREEN, protected: [], changed: [`${n}.txt`] });
  const train = log.length + 1;
  write({ type: 'landing-started', host: 'h' });
  const car = { loop, head: `h${n}`, commit: `c${n + 1}`, tree: `s${n}` };
  const none = { clashes: [], contained: [], implied: [], broken: [] };
  write({ type: 'train-built', fence: train, build: 1, base: `c${n}`, baseTree: `s${n - 1}`, cars: [car], ...none });
  write({ type: 'candidate-tested', fence: train, tree: `s${n}`, again: 0, report: GREEN, durationMs: 1000 });
  write({ type: 'integration-advanced', fence: train, commit: `c${n + 1}` });
  write({ type: 'worktree-retired', loop });
}

const timed = (act) => {
  const from = process.hrtime.bigint();
  const made = act();
  return { made, took: Number(process.hrtime.bigint() - from) / 1e6 };
};

const folds = RECORDS.map((records) => {
  const log = logOf(records, Math.ceil(records / RECORDS_PER_LANDING));
  const runs = Array.from({ length: records > 50_000 ? 1 : 3 }, () => timed(() => core.foldAll(core.EMPTY_STATE, log)));
  const took = median(runs.map((run) => run.took));
  return { records: log.length, landed: Object.keys(runs[0].made.landed).length, took };
});
const [first] = folds;
printTable(
  'the fold of a whole log',
  ['records', 'landings', 'time', 'per record', 'against the first'],
  folds.map(({ records, landed, took }) => [
    records,
    landed,
    ms(took),
    `${((took / records) * 1000).toFixed(1)} µs`,
    (took / records / (first.took / first.records)).toFixed(2),
  ]),
);

/** What a host decides in one turn. */
function turn(state) {
  core.schedule(state, 'h', 1e9);
  core.canLand(state);
  core.conflictsToMend(state, 'h');
  core.wishes(state, 'h');
  core.isSpent(state, 'h');
}

printTable(
  `one turn of a host: ${LOOPS} loops at work, half of the other tasks landed`,
  ['tasks', 'loops', 'time'],
  TASKS.map((tasks) => {
    const landed = Math.floor((tasks - Math.min(LOOPS, tasks / 2)) / 2);
    const log = logOf(3 + landed * RECORDS_PER_LANDING, tasks, LOOPS);
    const write = (...events) => log.push({ seq: log.length + 1, at: 1000 + log.length, by: 'h', events });
    const working = Math.min(LOOPS, tasks - landed);
    for (let n = 0; n < working; n += 1) beginOne(log, write, landed + n, n + 1);
    const state = core.foldAll(core.EMPTY_STATE, log);
    turn(state);
    const took = median(Array.from({ length: TURNS }, () => timed(() => turn({ ...state })).took));
    return [tasks, Object.keys(state.loops).length, ms(took)];
  }),
);
