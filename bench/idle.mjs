// What a host costs while all its agents are thinking, beside a Node that does nothing.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { judge, printTable } from './lib/figures.mjs';
import { startRalph } from './lib/ralph.mjs';
import { makeRepository } from './lib/repository.mjs';

const LOOPS = 20;
const NAP_S = 60;
const SETTLE_MS = 4000;
const WATCH_MS = 10_000;
const READY_MS_MAX = 40_000;
const RSS_MB_MAX = 90;
const CPU_PERCENT_MAX = 1;
const TICKS_PER_S = 100;

/** CPU seconds used so far: from /proc where there is one, else from ps. */
function cpuSeconds(pid) {
  if (existsSync(`/proc/${pid}/stat`)) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
  }
  const [minutes, seconds] = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(':')
    .slice(-2);
  return Number(minutes) * 60 + Number(seconds);
}

const rssMb = (pid) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

async function watch(pid) {
  await delay(SETTLE_MS);
  const before = cpuSeconds(pid);
  await delay(WATCH_MS);
  return { cpuPercent: ((cpuSeconds(pid) - before) / (WATCH_MS / 1000)) * 100, rss: rssMb(pid) };
}

const nothing = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1 << 30)'], { stdio: 'ignore' });
const made = new Set();
const host = startRalph(
  makeRepository({ naps: Array(LOOPS).fill(NAP_S) }),
  ['run', '--parallel', '--max-workers', String(LOOPS), '--events'],
  (event) => event.type === 'worktree-made' && made.add(event.loop),
);
const deadline = Date.now() + READY_MS_MAX;
while (made.size < LOOPS && Date.now() < deadline) await delay(100);
if (made.size < LOOPS) {
  host.child.kill('SIGKILL');
  nothing.kill();
  const { messages } = await host.done;
  throw new Error(`only ${made.size} of ${LOOPS} loops started\n${messages}`);
}
const [busy, empty] = await Promise.all([watch(host.child.pid), watch(nothing.pid)]);
host.child.kill('SIGINT');
await delay(500);
host.child.kill('SIGINT');
await host.done;
nothing.kill();

printTable(
  `idle: ${made.size} waiting loops, ${WATCH_MS / 1000} s`,
  ['', 'host', 'empty Node (baseline)', 'ratio', 'at most', ''],
  [
    [
      'RSS',
      `${busy.rss.toFixed(1)} MB`,
      `${empty.rss.toFixed(1)} MB`,
      (busy.rss / empty.rss).toFixed(2),
      `${RSS_MB_MAX} MB`,
      judge(busy.rss, RSS_MB_MAX),
    ],
    [
      'CPU',
      `${busy.cpuPercent.toFixed(2)} %`,
      `${empty.cpuPercent.toFixed(2)} %`,
      '',
      `${CPU_PERCENT_MAX} %`,
      judge(busy.cpuPercent, CPU_PERCENT_MAX),
    ],
  ],
);
