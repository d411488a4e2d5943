// From kill -9 of a host to the first agent its successor starts, and how long a very long log takes to open.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { lengthenLog } from './lib/long-log.mjs';
import { MAIN, cleanEnv, runRalph, startRalph } from './lib/ralph.mjs';
import { makeRepository } from './lib/repository.mjs';

const TASKS = 200;
const FIRST_SLOTS = 4;
const TURNS = Number(process.argv[process.argv.indexOf('--turns') + 1]) || 25;
const NAP_S = 3000;
const READY_MS_MAX = 60_000;
const DISPATCH_MS_MAX = 2000;
/** One less than a multiple of what a snapshot takes: the next host makes one. */
const RECORDS = 256 * 391 - 1;
const OPEN_TURNS = 7;
const OPEN_MS_MAX = 2000;

const percentile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * share) - 1)];

/** Agents say that they live, beside the repository, before they do anything. */
const CONFIG = `agent = "bench"

[agents.bench]
command = ["sh", "-c", ": > {top}/started-$RALPH_TASK_ID; exec sh {agent}"]

[gates]
commands = ["true"]

[limits]
runtime = "4h"
`;

const startedIn = (repository) => readdirSync(dirname(repository)).filter((name) => name.startsWith('started-')).length;

async function untilStarted(repository, count) {
  const deadline = Date.now() + READY_MS_MAX;
  while (startedIn(repository) < count) {
    if (Date.now() > deadline) throw new Error(`only ${startedIn(repository)} of ${count} agents started`);
    await delay(2);
  }
}

const withSlots = (repository, slots) =>
  startRalph(repository, ['run', '--parallel', '--max-workers', String(slots), '--events']);

/** Each time a host is killed, and the next one has one slot more. */
async function dispatchTimes() {
  const repository = makeRepository({ naps: Array(TASKS).fill(NAP_S), config: CONFIG });
  let host = withSlots(repository, FIRST_SLOTS);
  await untilStarted(repository, FIRST_SLOTS);
  const taken = [];
  const empty = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    host.child.kill('SIGKILL');
    await host.done;
    const emptyMs = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    empty.push(performance.now() - emptyMs);
    const startedMs = performance.now();
    host = withSlots(repository, FIRST_SLOTS + turn);
    await untilStarted(repository, FIRST_SLOTS + turn);
    taken.push(performance.now() - startedMs);
  }
  host.child.kill('SIGINT');
  await delay(500);
  host.child.kill('SIGINT');
  await host.done;
  return { taken, empty };
}

const wallOf = (repository, argv) => {
  const beganMs = performance.now();
  execFileSync(process.execPath, argv, { cwd: repository, env: cleanEnv(), stdio: 'pipe', maxBuffer: 1 << 28 });
  return performance.now() - beganMs;
};

/** Until its first word in the log. */
async function joinTime(repository) {
  const beganMs = performance.now();
  let joinedMs = null;
  const host = startRalph(repository, ['run', '--parallel', '--max-workers', '1', '--events'], (event) => {
    if (event.type === 'host-joined') joinedMs ??= performance.now() - beganMs;
  });
  const { code, messages } = await host.done;
  if (code !== 0 || joinedMs === null) throw new Error(`the run ended with ${code}\n${messages}`);
  return joinedMs;
}

async function openTimes() {
  const repository = makeRepository({ naps: Array(8).fill(0) });
  await runRalph(repository, ['run', '--parallel', '--max-workers', '4', '--events']);
  const length = lengthenLog(repository, { records: RECORDS, tasks: TASKS });
  if (length !== RECORDS) throw new Error(`the log has ${length} records`);
  const times = async (measure) => {
    const all = [];
    for (let turn = 0; turn < OPEN_TURNS; turn += 1) all.push(await measure());
    return all;
  };
  const empty = await times(() => wallOf(repository, ['-e', '0']));
  const cold = await times(() => wallOf(repository, [MAIN, 'status', '--json']));
  await joinTime(repository);
  const packed = join(repository, '.git', 'paralph', 'log', 'packed');
  if (!existsSync(packed) || !readdirSync(packed).some((name) => name.startsWith('snapshot-')))
    throw new Error('no snapshot was made');
  const warm = await times(() => wallOf(repository, [MAIN, 'status', '--json']));
  const joined = await times(() => joinTime(repository));
  return { empty, cold, warm, joined };
}

const { taken, empty } = await dispatchTimes();
printTable(
  `recovery: kill -9 to the first new agent, ${TASKS} tasks, ${FIRST_SLOTS} to ${FIRST_SLOTS + TURNS - 1} agents to adopt, ${TURNS} turns`,
  ['', 'p50', 'p99', 'ratio of p50', 'p99 at most', ''],
  [
    ['node -e 0 (baseline)', ms(median(empty)), ms(percentile(empty, 0.99)), '1.00', '', ''],
    [
      'new host to new agent',
      ms(median(taken)),
      ms(percentile(taken, 0.99)),
      (median(taken) / median(empty)).toFixed(2),
      ms(DISPATCH_MS_MAX),
      judge(percentile(taken, 0.99), DISPATCH_MS_MAX),
    ],
  ],
);
const opened = await openTimes();
const row = (name, values) => [
  name,
  ms(median(values)),
  ms(Math.max(...values)),
  (median(values) / median(opened.empty)).toFixed(2),
  ms(OPEN_MS_MAX),
  judge(median(values), OPEN_MS_MAX),
];
printTable(
  `recovery: a log of ${RECORDS} records about ${TASKS} tasks, median of ${OPEN_TURNS} turns`,
  ['', 'median', 'most', 'ratio', 'at most', ''],
  [
    ['node -e 0 (baseline)', ms(median(opened.empty)), ms(Math.max(...opened.empty)), '1.00', '', ''],
    row('ralph status --json', opened.warm),
    row('the same, snapshot lost', opened.cold),
    row('ralph run, until it has joined', opened.joined),
  ],
);
