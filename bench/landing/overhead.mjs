// D. What landing itself costs, gates aside: 20 branches of 11 files on repositories of three sizes. The gate is `true`.
import { judge, median, ms, printTable } from '../lib/figures.mjs';
import { recordsAfter } from '../lib/log-records.mjs';
import { lastRecord, runRalph, startRalph } from '../lib/ralph.mjs';
import { git } from '../lib/repository.mjs';
import { makeBigRepository } from './big-repository.mjs';
import { landAll } from './ready-loops.mjs';

const SIZES = [1000, 20_000, 100_000];
const BRANCHES = 20;
const BOUND_MS = 50;
const IDLE_TURNS = 3;

const PARTS = {
  'train-built': 'build',
  'candidate-tested': 'test',
  'integration-advanced': 'advance',
};

/** Where the time went, by what each record of the log ended: the wait before it belongs to it. */
function partsOf(records) {
  const parts = { build: 0, test: 0, advance: 0 };
  for (const [index, { at, events }] of records.entries()) {
    const part = events.map(({ type }) => PARTS[type]).find((name) => name in parts);
    if (index > 0 && part != null) parts[part] += at - records[index - 1].at;
  }
  return parts;
}

async function timeIdle(repository) {
  const turns = [];
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) turns.push((await runRalph(repository, ['land', '--all'])).wallMs);
  return median(turns);
}

function assertAllLanded(repository, branches, before, messages) {
  const landed = git(repository, 'rev-list', '--count', '--first-parent', `${before}..refs/paralph/int/main`).trim();
  if (Number(landed) !== branches) throw new Error(`${landed} of ${branches} branches landed\n${messages}`);
}

async function measure(files) {
  const startedMs = performance.now();
  // One branch more: it brings the gate worktree into being and main's own files into integration.
  const { repository, branches } = await makeBigRepository({ files, branches: BRANCHES + 1 });
  const madeMs = performance.now() - startedMs;
  const first = await runRalph(repository, ['land', branches[0].replace('ralph/', '')]);
  const before = git(repository, 'rev-parse', 'refs/paralph/int/main').trim();
  const seq = lastRecord(repository);
  const all = await landAll(repository);
  assertAllLanded(repository, BRANCHES, before, all.messages);
  const parts = partsOf(recordsAfter(repository, seq));
  const published = await startRalph(repository, ['publish']).done;
  if (published.code !== 0) throw new Error(`ralph publish ended with ${published.code}\n${published.messages}`);
  const idleMs = await timeIdle(repository);
  const each = (all.wallMs - idleMs) / BRANCHES;
  console.error(`landing D: ${files} files made in ${ms(madeMs)}`);
  return [
    files,
    ms(first.wallMs),
    ms(all.wallMs),
    ms(idleMs),
    all.gateRuns,
    ms(parts.build),
    ms(parts.test),
    ms(parts.advance),
    ms((all.wallMs - idleMs - parts.test) / BRANCHES),
    ms(each),
    ms(BOUND_MS),
    judge(each, BOUND_MS),
    ms(published.wallMs - idleMs),
  ];
}

export async function measureOverhead({ quick }) {
  const rows = [];
  for (const files of quick ? SIZES.slice(0, 1) : SIZES) rows.push(await measure(files));
  printTable(
    `landing D: ${BRANCHES} branches of 11 files, gate \`true\`, nothing published; engine for each landed branch`,
    [
      'files',
      'first landing',
      '20 landed in',
      'idle (baseline)',
      'gate runs',
      'merging',
      'gate worktree and gate',
      'moving the ref',
      'each without gate worktree',
      'each',
      'at most',
      '',
      'publishing',
    ],
    rows,
  );
}
