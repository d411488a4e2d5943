// A. Gate runs for a full queue, by the product's own decisions against three named strategies. No clock, no git: one unit of
// time is one gate run.
import { judge, printTable } from '../lib/figures.mjs';
import { everyPrefix, halves, sequential } from './baselines.mjs';
import { loadCore } from './load-core.mjs';
import { makeReadyState } from './ready-state.mjs';
import { createTrain } from './train-model.mjs';
import { makeTrials, summarize } from './workload.mjs';

const COUNT = 50;
const RATES = [0, 0.02, 0.05, 0.1, 0.2];
const TRIALS = 300;
const QUICK_TRIALS = 40;
const SEED = 4;
const FORMULA_RATIO_MAX = 1.15;
/** Times fewer runs than sequential, at least. */
const TIMES_MIN = { 0: 1, 0.02: 6, 0.05: 3, 0.1: 1, 0.2: 1 };

/** What the best train can be expected to need for each landed item: batches as long as pays off, and a search for each culprit. */
function formula(hazard) {
  if (hazard === 0) return 1 / COUNT;
  const batch = Math.min(COUNT, 0.69 / hazard);
  return (1 / batch + hazard * (1 + Math.log2(batch))) / (1 - hazard);
}

const percent = (rate) => `${(rate * 100).toFixed(0)} %`;

function boundRow(rate, train, baseline) {
  const ratio = train.perLanded / formula(rate);
  const times = baseline.perLanded / train.perLanded;
  return [
    percent(rate),
    baseline.perLanded.toFixed(3),
    train.perLanded.toFixed(3),
    formula(rate).toFixed(3),
    ratio.toFixed(2),
    FORMULA_RATIO_MAX,
    judge(ratio, FORMULA_RATIO_MAX),
    times.toFixed(2),
    TIMES_MIN[rate],
    judge(TIMES_MIN[rate], times),
  ];
}

const figureRow = (rate, name, figures) => [
  percent(rate),
  name,
  figures.perLanded.toFixed(3),
  figures.runs.toFixed(1),
  figures.makespan.toFixed(1),
  figures.mean.toFixed(1),
  figures.p95.toFixed(0),
];

export async function measureGateRuns({ quick }) {
  const core = await loadCore();
  const trainWith = (slots) => createTrain(core, makeReadyState(core, { count: COUNT, slots }));
  const strategies = [
    ['B1 sequential', sequential],
    ['B2 bors halves, 8', halves],
    ['B3 every prefix, 4 slots', everyPrefix],
    ['train, 1 slot', trainWith(1)],
    ['train, 2 slots', trainWith(2)],
    ['train, 4 slots', trainWith(4)],
  ];
  const trials = quick ? QUICK_TRIALS : TRIALS;
  const bounds = [];
  const figures = [];
  for (const rate of RATES) {
    const cases = makeTrials({ count: COUNT, rate, trials, seed: SEED });
    const found = strategies.map(([name, land]) => [name, summarize(cases.map((bad) => land(bad)))]);
    const [, baseline] = found[0];
    bounds.push(boundRow(rate, found[3][1], baseline));
    figures.push(...found.map(([name, each]) => figureRow(rate, name, each)));
  }
  const title = `${COUNT} items at once, ${trials} trials`;
  printTable(
    `landing A: gate runs for each landed item, one slot; ${title}`,
    ['failures', 'sequential', 'train', 'formula', 'ratio', 'at most', '', 'times fewer', 'at least', ''],
    bounds,
  );
  printTable(
    `landing A: what that means in time, in gate runs; ${title}`,
    ['failures', 'strategy', 'runs / landed', 'runs', 'makespan', 'mean latency', 'P95'],
    figures,
  );
}
