// CPU time of short commands beside an empty Node, measured in turns so that a busy moment hits all alike.
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { MAIN, lastRecord, startRalph } from './lib/ralph.mjs';
import { makeRepository } from './lib/repository.mjs';

const TURNS = 15;
const TASKS = 200;
const RECORDS = 1000;
const FILL_MS_MAX = 5 * 60_000;

/** User and system time of a command. bash's `time` has milliseconds; `times` of sh has hundredths of a second. */
function cpuMs(cwd, argv) {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1';
  const [user, system] = execFileSync('bash', ['-c', script, 'bash', ...argv], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  }).split(/\s+/);
  return (Number(user) + Number(system)) * 1000;
}

/** A repository whose log a real run has filled. */
async function filledRepository() {
  const repository = makeRepository({ naps: Array(TASKS).fill(0) });
  const { child, done } = startRalph(repository, ['run', '--parallel', '--max-workers', '1', '--events']);
  const deadline = Date.now() + FILL_MS_MAX;
  const ended = done.then(() => true);
  while (lastRecord(repository) < RECORDS && Date.now() < deadline) {
    if (await Promise.race([ended, delay(200, false)])) break;
  }
  child.kill('SIGINT');
  const { messages } = await done;
  if (lastRecord(repository) < RECORDS)
    throw new Error(`only ${lastRecord(repository)} records were written\n${messages}`);
  return repository;
}

const repository = await filledRepository();
const node = process.execPath;
const COMMANDS = [
  { name: 'node -e 0 (baseline)', argv: [node, '-e', '0'], boundRatio: null },
  { name: 'ralph --version', argv: [node, MAIN, '--version'], boundRatio: 1.2 },
  { name: 'ralph status --json', argv: [node, MAIN, 'status', '--json'], boundRatio: 2.5 },
];
JSON.parse(execFileSync(node, [MAIN, 'status', '--json'], { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 }));

const taken = COMMANDS.map(() => []);
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const [index, { argv }] of COMMANDS.entries()) taken[index].push(cpuMs(repository, argv));
}
const baseline = median(taken[0]);
printTable(
  `startup: CPU, median of ${TURNS} turns; ${TASKS} tasks, ${lastRecord(repository)} log records`,
  ['command', 'CPU', 'least', 'ratio', 'at most', ''],
  COMMANDS.map(({ name, boundRatio }, index) => {
    const ratio = median(taken[index]) / baseline;
    const least = Math.min(...taken[index]);
    const verdict = boundRatio == null ? ['', ''] : [`${boundRatio}`, judge(ratio, boundRatio)];
    return [name, ms(median(taken[index])), ms(least), ratio.toFixed(2), ...verdict];
  }),
);
