// C. Fifty real branches, some of which no longer fit since main moved on, on real git with one gate slot.
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { judge, ms, printTable } from '../lib/figures.mjs';
import { createRandom } from '../lib/random.mjs';
import { git, taskId } from '../lib/repository.mjs';
import { landAll, makeReady } from './ready-loops.mjs';

const COUNT = 50;
const RATES = [0.02, 0.05, 0.1, 0.2];
const TURNS = 2;
const SEED = 4;
const FORBIDDEN = 'forbidden.txt';

/** Red where a file stands whose name main has come to forbid: green in every loop's own worktree, red once it meets main. */
const GATE = `[ ! -e ${FORBIDDEN} ] || while read -r name; do [ ! -e "$name" ] || exit 1; done < ${FORBIDDEN}`;

const FILES = Array.from({ length: COUNT }, (_, index) => `${taskId(index + 1, 0)}.txt`);

/** Exactly as many as the rate says, over all turns, at places that chance chose. */
function chooseBad(rate, turn) {
  const random = createRandom(SEED + turn);
  const upTo = (turns) => Math.round(rate * COUNT * turns);
  return FILES.map((name) => ({ name, draw: random() }))
    .toSorted((a, b) => a.draw - b.draw)
    .slice(0, upTo(turn + 1) - upTo(turn))
    .map(({ name }) => name);
}

/** The loops are made once; each rate starts from the same copy of the folder, at the same path. */
function startAgain(repository, pristine, bad) {
  const top = dirname(repository);
  rmSync(repository, { recursive: true, force: true });
  cpSync(pristine, repository, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  writeFileSync(join(top, 'gate-runs'), '');
  writeFileSync(join(repository, FORBIDDEN), bad.map((name) => `${name}\n`).join(''));
  git(repository, 'add', FORBIDDEN);
  git(repository, 'commit', '--quiet', '-m', 'some names are no longer allowed');
}

/** Exactly the good ones are on main, or the figure is about something else. */
function assertRight(repository, bad, messages) {
  const onMain = new Set(git(repository, 'ls-tree', '--name-only', 'main').split('\n'));
  const wrong = FILES.filter((name) => onMain.has(name) === bad.includes(name));
  if (wrong.length > 0) throw new Error(`wrongly landed or left out: ${wrong.join(', ')}\n${messages}`);
}

async function landOnce(repository, pristine, rate, turn) {
  const bad = chooseBad(rate, turn);
  startAgain(repository, pristine, bad);
  const { gateRuns, wallMs, messages } = await landAll(repository);
  assertRight(repository, bad, messages);
  return { reds: bad.length, landed: COUNT - bad.length, gateRuns, wallMs };
}

async function measure(repository, pristine, rate) {
  const turns = [];
  for (let turn = 0; turn < TURNS; turn += 1) turns.push(await landOnce(repository, pristine, rate, turn));
  const total = (key) => turns.reduce((sum, each) => sum + each[key], 0);
  // One after the other with the same care: who is red is asked once more before being put aside.
  const sequential = COUNT * TURNS + total('reds');
  return [
    `${(rate * 100).toFixed(0)} %`,
    turns.map(({ reds }) => reds).join(' + '),
    turns.map(({ gateRuns }) => gateRuns).join(' + '),
    sequential,
    (sequential / total('gateRuns')).toFixed(2),
    '1',
    judge(total('gateRuns'), sequential),
    (total('gateRuns') / total('landed')).toFixed(3),
    ms(total('wallMs') / TURNS),
  ];
}

export async function measureFailures({ quick }) {
  const { repository } = await makeReady({ count: COUNT, gate: GATE, landing: 'gate_slots = 1' });
  const pristine = join(dirname(repository), 'pristine');
  renameSync(repository, pristine);
  const rows = [];
  for (const rate of quick ? RATES.slice(0, 2) : RATES) rows.push(await measure(repository, pristine, rate));
  printTable(
    `landing C: ${COUNT} real branches at once, one gate slot, ${TURNS} turns; gate runs counted by the gate`,
    ['failures', 'red', 'gate runs', 'sequential', 'times fewer', 'at least', '', 'runs / landed', 'took'],
    rows,
  );
}
