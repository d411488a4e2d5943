// How close a parallel run comes to the best any scheduler could do, and to doing the same one after another.
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { runRalph } from './lib/ralph.mjs';
import { assertLanded, makeRepository } from './lib/repository.mjs';

const SLOTS = 4;
/** One run of a few seconds says more about the moment than about us. */
const TURNS = 3;
const CASES = [
  { name: '8 tasks of 2 s', naps: Array(8).fill(2), boundRatio: 1.3 },
  { name: '2 tasks of 10 s, 10 of 1 s', naps: [10, 10, ...Array(10).fill(1)], boundRatio: 1.15 },
];

/** When the last task ends if each starts, in the file's order, as soon as a slot is free. */
function listSchedule(naps, slots) {
  const freeAt = Array(slots).fill(0);
  for (const seconds of naps) {
    const next = freeAt.indexOf(Math.min(...freeAt));
    freeAt[next] += seconds;
  }
  return Math.max(...freeAt) * 1000;
}

async function timeRun(naps, args) {
  const repository = makeRepository({ naps });
  const result = await runRalph(repository, ['run', '--events', ...args]);
  assertLanded(repository, naps);
  return result;
}

async function measure({ name, naps, boundRatio }) {
  const idealMs = listSchedule(naps, SLOTS);
  const sequenceIdealMs = listSchedule(naps, 1);
  const turns = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    turns.push((await timeRun(naps, ['--parallel', '--max-workers', String(SLOTS)])).wallMs);
  const parallel = { wallMs: median(turns) };
  const sequence = await timeRun(naps, []);
  const ratio = parallel.wallMs / idealMs;
  return [
    [
      name,
      `${SLOTS} slots`,
      ms(idealMs),
      ms(parallel.wallMs),
      ratio.toFixed(2),
      `${boundRatio}`,
      judge(ratio, boundRatio),
    ],
    [
      name,
      'in sequence',
      ms(sequenceIdealMs),
      ms(sequence.wallMs),
      (sequence.wallMs / sequenceIdealMs).toFixed(2),
      '',
      '',
    ],
    [name, 'speed-up', '', '', (sequence.wallMs / parallel.wallMs).toFixed(2), '', ''],
  ];
}

const rows = [];
for (const each of CASES) rows.push(...(await measure(each)));
printTable('makespan', ['tasks', 'how', 'bound by naps', 'took', 'ratio', 'at most', ''], rows);
