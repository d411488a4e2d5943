import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { TalkSpec } from '../text/agents/talk/talk-spec.ts';

const EXIT_NOT_STARTED = 127;
const SIGNAL_BASE = 128;
/** A tool left behind may hold the client's output open; what the client said itself is there long before. */
const DRAIN_MS = 1000;
const TURN_MS = 10;
/** More than a pipe holds: what comes after is the tool's. */
const LEFT_BYTES_MAX = 1024 * 1024;

export interface Client {
  send(lines: readonly string[]): void;
  closeInput(): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** How it ended, once all it said was heard. Never rejects. */
  readonly ended: Promise<number>;
}

export interface ClientEars {
  /** Calls `resume` when there is room for more. */
  onOutput(chunk: Buffer, resume: () => void): void;
  onTrouble(message: string): void;
}

/** Starts a client with pipes for the conversation; its errors go where ours go. */
export function startClient(spec: TalkSpec, ears: ClientEars): Client {
  const [program = '', ...args] = spec.argv;
  const child = spawn(program, args, { cwd: spec.cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  // It may go away while we write to it. Its end is told by the exit, not by this.
  child.stdin.on('error', () => {});
  child.stdout.on('error', (error) => ears.onTrouble(`the client's output broke off: ${error.message}`));
  let heard = 0;
  let isHeldUp = false;
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    isHeldUp = true;
    child.stdout.pause();
    ears.onOutput(chunk, () => {
      isHeldUp = false;
      child.stdout.resume();
    });
  });
  const ended = new Promise<number>((resolve) => {
    let code = EXIT_NOT_STARTED;
    child.on('error', (error) => {
      ears.onTrouble(`cannot start ${program}: ${error.message}`);
      if (child.pid === undefined) resolve(EXIT_NOT_STARTED);
    });
    child.on('exit', (status, signal) => {
      code = status ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]);
      setTimeout(() => leave(heard, heard + LEFT_BYTES_MAX), DRAIN_MS);
    });
    // The time may have passed while we stood still: what lies ready is read before.
    const leave = (before: number, most: number): void =>
      void setTimeout(() => {
        if ((heard === before && !isHeldUp) || heard > most) resolve(code);
        else leave(heard, most);
      }, TURN_MS);
    child.on('close', () => resolve(code));
  });
  return {
    send: (lines) => {
      if (child.stdin.writable) for (const line of lines) child.stdin.write(`${line}\n`);
    },
    closeInput: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
    ended,
  };
}
