// What the view costs while 20 agents talk, what while they are silent, and how soon a fact is on the screen.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { judge, printTable } from './lib/figures.mjs';
import { recordsAfter } from './lib/log-records.mjs';
import { MAIN, cleanEnv, lastRecord, runRalph, startRalph } from './lib/ralph.mjs';
import { makeRepository, makeScratch } from './lib/repository.mjs';

const LOOPS = 20;
const NAP_S = 900;
const READY_MS_MAX = 60_000;
const LINES_PER_S = 80;
const WATCH_MS = 10_000;
const FACTS = 100;
const FIRST_FRAMES = 5;
const TICKS_PER_S = 100;
const BOUNDS = { cpu: 3, rss: 80, first: 350, idleCpu: 0.3, idleBytes: 0, fact: 1000 };
const END_OF_FRAME = '\u001b[?2026l';

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

const rssMb = (pid) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

async function until(what, probe, timeoutMs = READY_MS_MAX) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = probe();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(5);
  }
}

/** The view in a terminal of 120 x 35 that writes down every byte it gets. */
async function openView(repository) {
  const folder = makeScratch();
  const [typescript, pidFile] = [join(folder, 'typescript'), join(folder, 'pid')];
  const line = `stty rows 35 cols 120; echo $$ > ${pidFile}; exec ${process.execPath} ${MAIN} watch`;
  const startedMs = performance.now();
  const script = spawn('script', ['-qfc', line, typescript], {
    cwd: repository,
    env: { ...cleanEnv(), LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const written = () => (existsSync(typescript) ? readFileSync(typescript, 'utf8') : '');
  await until('the first frame', () => written().includes(END_OF_FRAME));
  const firstMs = performance.now() - startedMs;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return {
    pid,
    firstMs,
    bytes: () => statSync(typescript).size,
    since: (from) => readFileSync(typescript).subarray(from).toString('utf8'),
    close: async () => {
      script.stdin.write('q');
      await new Promise((resolve) => void script.once('exit', resolve));
    },
  };
}

async function measure(view, everyMs, act) {
  const [cpu, bytes, startedMs] = [cpuSeconds(view.pid), view.bytes(), performance.now()];
  while (performance.now() - startedMs < WATCH_MS) {
    act();
    await delay(everyMs);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    cpu: ((cpuSeconds(view.pid) - cpu) / seconds) * 100,
    rss: rssMb(view.pid),
    bytes: view.bytes() - bytes,
  };
}

/** Pauses the queue and lets it go, again and again: how long from the record to the word on the screen. */
async function factDelays(view, repository, between) {
  const delays = [];
  for (let n = 0; n < FACTS; n += 1) {
    const [seq, from] = [lastRecord(repository), view.bytes()];
    const paused = runRalph(repository, ['queue', 'pause']);
    await until('the fact on the screen', () => {
      between();
      return view.since(from).includes('paused');
    });
    const seenMs = Date.now();
    await paused;
    delays.push(Math.max(0, seenMs - (recordsAfter(repository, seq)[0]?.at ?? seenMs)));
    const before = view.bytes();
    await runRalph(repository, ['queue', 'resume']);
    // The list moves up again where the train was.
    await until('the fact gone again', () => view.since(before).includes('AT WORK'));
  }
  return delays;
}

if (spawnSync('script', ['--version']).status !== 0 || !existsSync('/proc/self/stat')) {
  console.log('view: needs script of util-linux and /proc, which are not here');
  process.exit(0);
}
const repository = makeRepository({ naps: Array(LOOPS).fill(NAP_S) });
const begun = new Map();
const host = startRalph(repository, ['run', '--parallel', '--max-workers', String(LOOPS), '--events'], (event) => {
  if (event.type === 'worktree-made') begun.set(event.loop, event.at);
});
try {
  await until('all loops', () => begun.size === LOOPS);
  const logs = [...begun.keys()].map((loop) => join(repository, '.git', 'paralph', 'runs', loop, '1', 'stdout.log'));
  await until('all agents', () => logs.every((log) => existsSync(log)));

  const firsts = [];
  for (let n = 0; n < FIRST_FRAMES; n += 1) {
    const one = await openView(repository);
    firsts.push(one.firstMs);
    await one.close();
  }

  const view = await openView(repository);
  let lines = 0;
  const talk = () => {
    for (let n = 0; n < LINES_PER_S / 10; n += 1) {
      lines += 1;
      appendFileSync(logs[lines % LOOPS], `edit src/file-${lines}.ts +${lines % 40} -${lines % 7}\n`);
    }
  };
  await delay(3000);
  const busy = await measure(view, 100, talk);
  let spokenMs = 0;
  const facts = await factDelays(view, repository, () => {
    if (performance.now() - spokenMs < 100) return;
    spokenMs = performance.now();
    talk();
  });

  // Ages are told in whole minutes: between two of them nothing moves.
  const last = Math.max(...begun.values());
  const sinceMinute = () => (Date.now() - last) % 60_000;
  await until(
    'the middle of a minute',
    () => Date.now() - last > 65_000 && sinceMinute() > 8000 && sinceMinute() < 20_000,
    180_000,
  );
  const idle = await measure(view, 500, () => {});
  await view.close();

  printTable(
    `view: ${LOOPS} loops, 120 x 35, ${WATCH_MS / 1000} s each`,
    ['', 'measured', 'at most', ''],
    [
      [`CPU at ${LINES_PER_S} lines/s`, `${busy.cpu.toFixed(1)} %`, `${BOUNDS.cpu} %`, judge(busy.cpu, BOUNDS.cpu)],
      ['RSS', `${busy.rss.toFixed(0)} MB`, `${BOUNDS.rss} MB`, judge(busy.rss, BOUNDS.rss)],
      ['written', `${(busy.bytes / 1024).toFixed(0)} KB`, '', ''],
      [
        'first frame, median',
        `${quantile(firsts, 0.5).toFixed(0)} ms`,
        `${BOUNDS.first} ms`,
        judge(quantile(firsts, 0.5), BOUNDS.first),
      ],
      [
        `fact on the screen, p95 of ${FACTS}`,
        `${quantile(facts, 0.95)} ms`,
        `${BOUNDS.fact} ms`,
        judge(quantile(facts, 0.95), BOUNDS.fact),
      ],
      ['idle CPU', `${idle.cpu.toFixed(2)} %`, `${BOUNDS.idleCpu} %`, judge(idle.cpu, BOUNDS.idleCpu)],
      ['idle, written', `${idle.bytes} bytes`, `${BOUNDS.idleBytes} bytes`, judge(idle.bytes, BOUNDS.idleBytes)],
    ],
  );
} finally {
  host.child.kill('SIGINT');
  await delay(500);
  host.child.kill('SIGINT');
  await host.done;
}
