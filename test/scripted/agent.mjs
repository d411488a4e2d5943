#!/usr/bin/env node
// Plays one iteration of a scenario (scenario.ts) the way a coding agent would: prompt in, changes and words out.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const WAIT_MS_MAX = 60_000;
const FLOOD_CHUNK_BYTES = 64 * 1024;
const GATE_FAILED =
  /\bgates?\b[^\n]*\b(failed|failing|failure|red)\b|\b(failed|failing|failure|red)\b[^\n]*\bgates?\b/i;

const say = (stream, text) => new Promise((told) => stream.write(text, told));
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });

function writeText(path, text, write = writeFileSync) {
  mkdirSync(dirname(path), { recursive: true });
  write(path, text);
}

/** Each returns the exit code with which it ends the agent, or nothing. */
const PERFORM = {
  write: ({ path, text }) => writeText(path, text),
  leaveDirty: ({ path, text }) => writeText(path, text),
  append: ({ path, text }) => writeText(path, text, appendFileSync),
  remove: ({ path }) => rmSync(path, { recursive: true }),
  commit: (message) => {
    git('add', '-A');
    if (git('status', '--porcelain') !== '') git('commit', '-q', '-m', message);
  },
  sleepMs: (ms) => sleep(ms),
  print: (text) => say(process.stdout, `${text}\n`),
  printErr: (text) => say(process.stderr, `${text}\n`),
  claim: (promised) => say(process.stdout, `<promise>${promised === true ? 'COMPLETE' : promised}</promise>\n`),
  claimFalsely: () =>
    say(
      process.stdout,
      'I will only say <promise>COMPLETE</promise> once it works.\nIt does not work yet: more to do.\n',
    ),
  exit: (code) => code,
  hang: () => {
    setInterval(() => {}, 1_000_000);
    return new Promise(() => {});
  },
  ignoreTerm: () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  },
  spawnSetsid: ({ sleepMs, path }) => {
    const script = `setTimeout(() => {}, ${sleepMs})`;
    const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore' });
    child.unref();
    if (path !== undefined) writeText(path, String(child.pid));
  },
  flood: async ({ bytes }) => {
    const line = `${'x'.repeat(127)}\n`;
    const chunk = line.repeat(FLOOD_CHUNK_BYTES / line.length);
    for (let left = bytes; left > 0; left -= chunk.length) await say(process.stdout, chunk.slice(0, left));
  },
  escape: ({ path, text }) => writeText(join('..', path), text),
  gitInit: ({ path }) => void git('init', '-q', path),
  checkout: ({ ref }) => void git('checkout', '-q', ref),
  fixOnGateFailure: ({ steps, when }, play) => {
    const failed = when === undefined ? GATE_FAILED.test(play.prompt) : play.prompt.includes(when);
    return failed ? performSteps(steps, play) : undefined;
  },
  waitForFile: async ({ path, timeoutMs }) => {
    const deadline = Date.now() + (timeoutMs ?? WAIT_MS_MAX);
    while (!existsSync(path)) {
      if (Date.now() > deadline) throw new Error(`waited in vain for ${path}`);
      await sleep(POLL_MS);
    }
  },
  env: ({ path }) => writeText(path, `${JSON.stringify(process.env, null, 2)}\n`),
  prompt: ({ path }, play) => writeText(path, play.prompt),
  pwd: ({ path }) => writeText(path, process.cwd()),
};

/** Plays steps in order until one ends the agent. */
async function performSteps(steps, play) {
  for (const step of steps) {
    const [[name, argument]] = Object.entries(step);
    // Nested steps are expanded when they are played, not twice.
    const ending = await PERFORM[name](name === 'fixOnGateFailure' ? argument : expand(argument, play), play);
    if (typeof ending === 'number') return ending;
  }
  return undefined;
}

function expand(value, play) {
  if (typeof value === 'string') return value.replaceAll(/\$\{(task|iteration)\}/g, (_, name) => String(play[name]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, play)]));
}

async function readPrompt() {
  if (process.stdin.isTTY) return '';
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function main(path) {
  const scenario = JSON.parse(readFileSync(path, 'utf8'));
  const task = process.env['RALPH_TASK_ID'] ?? '';
  const iteration = Number(process.env['RALPH_ITERATION'] ?? '1');
  const script = Object.hasOwn(scenario.tasks ?? {}, task) ? scenario.tasks[task] : scenario.default;
  if (script === undefined) throw new Error(`the scenario has no steps for task "${task}" and no default`);
  const note = (more) => {
    if (scenario.record === undefined) return;
    const line = { task, iteration, pid: process.pid, cwd: process.cwd(), at: new Date().toISOString(), ...more };
    appendFileSync(resolve(dirname(path), scenario.record), `${JSON.stringify(line)}\n`);
  };
  note({});
  const play = { task, iteration, prompt: await readPrompt() };
  const code = await performSteps(script.iterations[iteration - 1] ?? script.iterations.at(-1), play);
  note({ ended: true });
  return code ?? 0;
}

// A reader that went away must not turn the scripted ending into another one.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  process.exit(await main(process.argv[2]));
} catch (error) {
  process.stderr.write(`scripted-agent: ${error.message}\n`, () => process.exit(1));
}
