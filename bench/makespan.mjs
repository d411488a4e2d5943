// How close a parallel run comes to the best any scheduler could do: bare agents under xargs, by turns in the same run.
// `npm run bench -- makespan [--turns 3]`.
import { dirname, join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { startRalph } from './lib/ralph.mjs';
import { assertLanded, makeRepository, makeScratch, taskId } from './lib/repository.mjs';
import { runBare, timedAgent, timesIn, turnaroundOf } from './lib/timed-agents.mjs';

const SLOTS = 4;
const TURNS = Number(process.argv[process.argv.indexOf('--turns') + 1]) || 3;
const CASES = [
  { name: '8 tasks of 2 s', naps: Array(8).fill(2), bound: 1.12 },
  { name: '2 tasks of 10 s, 10 of 1 s', naps: [10, 10, ...Array(10).fill(1)], bound: 1.05 },
];
const BOUNDS = { turnaround: 120, first: 300, leaving: 150 };

function bare(naps) {
  const ids = naps.map((seconds, at) => taskId(at + 1, seconds));
  return runBare(makeScratch(), ids, SLOTS);
}

async function ours(naps) {
  const repository = makeRepository({ naps });
  const top = dirname(repository);
  writeFileSync(join(top, 'agent.sh'), timedAgent(top));
  const startedMs = Date.now();
  let landedMs = startedMs;
  const note = ({ type }) => {
    if (type === 'integration-advanced') landedMs = Date.now();
  };
  const args = ['run', '--events', '--parallel', '--max-workers', String(SLOTS)];
  const { code, wallMs, messages } = await startRalph(repository, args, note).done;
  if (code !== 0) throw new Error(`ralph run ended with ${code}\n${messages}`);
  assertLanded(repository, naps);
  const times = timesIn(top);
  return {
    wallMs,
    turnaround: turnaroundOf(times, SLOTS),
    first: times.starts[0] - startedMs,
    leaving: startedMs + wallMs - landedMs,
  };
}

const rows = [];
const details = [];
for (const { name, naps, bound } of CASES) {
  const floors = [];
  const turns = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    floors.push(bare(naps).wallMs);
    turns.push(await ours(naps));
  }
  const of = (what) => median(turns.map((turn) => turn[what]));
  const ratio = of('wallMs') / median(floors);
  rows.push([name, ms(median(floors)), ms(of('wallMs')), ratio.toFixed(3), bound, judge(ratio, bound)]);
  for (const [what, most] of Object.entries(BOUNDS))
    details.push([name, what, ms(of(what)), ms(most), judge(of(what), most)]);
}
printTable(
  `makespan on ${SLOTS} slots, middle of ${TURNS} turns`,
  ['tasks', 'bare agents', 'took', 'ratio', 'at most', ''],
  rows,
);
printTable(
  'a slot between two agents, the first agent, last landing to exit',
  ['tasks', 'what', 'took', 'at most', ''],
  details,
);
