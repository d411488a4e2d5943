import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

/** The user's own settings must not change what is measured. */
export const cleanEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RALPH_')));

/** What `--events` prints is one JSON object a line; anything else is not ours to read. */
function eventOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Starts `ralph …` in a repository. `done` gives exit code, wall time, events and messages. */
export function startRalph(cwd, args, onEvent = () => {}) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  const events = [];
  let messages = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = eventOf(line);
    if (event == null) return;
    events.push(event);
    onEvent(event);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => (messages += text));
  const done = new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => settle({ code, wallMs: performance.now() - startedMs, events, messages }));
  });
  return { child, done };
}

/** Runs `ralph …` and expects it to succeed. */
export async function runRalph(cwd, args) {
  const result = await startRalph(cwd, args).done;
  if (result.code !== 0) throw new Error(`ralph ${args.join(' ')} ended with ${result.code}\n${result.messages}`);
  return result;
}

/** The highest sequence number in a repository's log. */
export function lastRecord(repository) {
  const folder = join(repository, '.git', 'paralph', 'log');
  if (!existsSync(folder)) return 0;
  const numbers = readdirSync(folder, { recursive: true })
    .map((name) => /(?:^|\/)(\d{12})$/.exec(name)?.[1])
    .filter((number) => number != null);
  return Math.max(0, ...numbers.map(Number));
}
