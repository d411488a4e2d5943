// D. What landing itself costs, gates aside: 20 branches of 11 files on repositories of three sizes. The gate is `true`.
import { execFileSync } from 'node:child_process';
import { judge, median, ms, printTable } from '../lib/figures.mjs';
import { recordsAfter } from '../lib/log-records.mjs';
import { MAIN, cleanEnv, lastRecord, runRalph } from '../lib/ralph.mjs';
import { git } from '../lib/repository.mjs';
import { makeBigRepository } from './big-repository.mjs';
import { countGateRuns } from './ready-loops.mjs';

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

/** By the clock and by the processors: on a busy machine only the second says something about us. */
function timeLandAll(repository) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1';
  const said = execFileSync('bash', ['-c', script, 'bash', process.execPath, MAIN, 'land', '--all'], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...cleanEnv(), LC_ALL: 'C' },
  });
  const [wall, user, system] = said.split(/\s+/).map((seconds) => Number(seconds) * 1000);
  return { wallMs: wall, cpuMs: user + system };
}

function timeIdle(repository) {
  const turns = Array.from({ length: IDLE_TURNS }, () => timeLandAll(repository));
  return { wallMs: median(turns.map(({ wallMs }) => wallMs)), cpuMs: median(turns.map(({ cpuMs }) => cpuMs)) };
}

function assertAllLanded(repository, branches, before) {
  const landed = git(repository, 'rev-list', '--count', '--first-parent', `${before}..refs/paralph/int/main`).trim();
  if (Number(landed) !== branches) throw new Error(`${landed} of ${branches} branches landed`);
}

async function measure(files) {
  const startedMs = performance.now();
  // One branch more: it brings the gate worktree into being and main's own files into integration.
  const { repository, branches } = await makeBigRepository({ files, branches: BRANCHES + 1 });
  const madeMs = performance.now() - startedMs;
  const first = await runRalph(repository, ['land', branches[0].replace('ralph/', '')]);
  const before = git(repository, 'rev-parse', 'refs/paralph/int/main').trim();
  const seq = lastRecord(repository);
  const runs = countGateRuns(repository);
  // What making the repository left unwritten is not the landing's to write.
  execFileSync('sync');
  const all = timeLandAll(repository);
  const gateRuns = countGateRuns(repository) - runs;
  assertAllLanded(repository, BRANCHES, before);
  const parts = partsOf(recordsAfter(repository, seq));
  const published = await runRalph(repository, ['publish']);
  const idle = timeIdle(repository);
  // A gate run is its checkout and its command; whoever tests one branch after the other pays for both each time.
  const outside = (all.wallMs - idle.wallMs - parts.test) / BRANCHES;
  const each = (all.wallMs - idle.wallMs) / BRANCHES;
  console.error(`landing D: ${files} files made in ${ms(madeMs)}, first landing ${ms(first.wallMs)}`);
  return [
    files,
    ms(all.wallMs),
    ms(idle.wallMs),
    gateRuns,
    ms(parts.build),
    ms(parts.test),
    ms(parts.advance),
    ms(outside),
    ms(BOUND_MS),
    judge(outside, BOUND_MS),
    ms(each),
    judge(each, BOUND_MS),
    ms((all.cpuMs - idle.cpuMs) / BRANCHES),
    ms(published.wallMs - idle.wallMs),
  ];
}

export async function measureOverhead({ quick }) {
  const rows = [];
  for (const files of quick ? SIZES.slice(0, 1) : SIZES) rows.push(await measure(files));
  printTable(
    `landing D: ${BRANCHES} branches of 11 files, gate \`true\`, nothing published; engine for each landed branch`,
    [
      'files',
      'took',
      'idle (baseline)',
      'gate runs',
      'merging',
      'gate worktree',
      'moving the ref',
      'each, outside gate runs',
      'at most',
      '',
      'each, with the checkout for the gate',
      '',
      'CPU each',
      'publishing',
    ],
    rows,
  );
}
