import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Step, StepArguments, StepName } from './scenario.ts';

/** What a step may know of the iteration it plays in. */
export interface Play {
  readonly task: string;
  readonly iteration: number;
  readonly prompt: string;
}

/** The exit code when a step ends the agent, else null. */
type Ending = number | null;
type Performer<K extends StepName> = (argument: StepArguments[K], play: Play) => Promise<Ending | void> | Ending | void;

const POLL_MS = 20;
const WAIT_MS_MAX = 60_000;
const FLOOD_CHUNK_BYTES = 64 * 1024;
const GATE_FAILED =
  /\bgates?\b[^\n]*\b(failed|failing|failure|red)\b|\b(failed|failing|failure|red)\b[^\n]*\bgates?\b/i;

const PERFORM: { readonly [K in StepName]: Performer<K> } = {
  write: ({ path, text }) => writeText(path, text),
  leaveDirty: ({ path, text }) => writeText(path, text),
  append: ({ path, text }) => {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  },
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
    return new Promise<void>(() => {});
  },
  ignoreTerm: () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  },
  spawnSetsid: ({ sleepMs, path }) => {
    const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${sleepMs})`], {
      detached: true,
      stdio: 'ignore',
    });
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
    return failed ? performSteps(steps, play) : null;
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
export async function performSteps(steps: readonly Step[], play: Play): Promise<Ending> {
  for (const step of steps) {
    const name = Object.keys(step)[0] as StepName;
    const perform = PERFORM[name] as (argument: unknown, play: Play) => Promise<Ending | void> | Ending | void;
    const argument = (step as Record<string, unknown>)[name];
    // Nested steps are expanded when they are played, not twice.
    const expanded = name === 'fixOnGateFailure' ? argument : expand(argument, play);
    const ending = await perform(expanded, play);
    if (typeof ending === 'number') return ending;
  }
  return null;
}

function expand(value: unknown, play: Play): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(task|iteration)\}/g, (_, name) =>
      String(name === 'task' ? play.task : play.iteration),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, play)]));
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

function say(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
