import { spawn } from 'node:child_process';

export interface ProgramOrder {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly charsMax: number;
  /** What it reads; absent: nothing. */
  readonly input?: string | Buffer;
  /** In a session of its own, which ends as a whole: Ctrl-C in the terminal does not reach it. */
  readonly isApart?: boolean;
  /** Apart, and what it does is not ours: our end does not end it, nor does a limit. More than `charsMax` is not kept. */
  readonly goesOn?: boolean;
}

export interface ProgramEnd {
  /** null: a signal ended it, or it never began. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was ended by us; null: it was not. */
  readonly stopped: 'time' | 'output' | null;
  /** Why it could not be started; null: it could. */
  readonly error: Error | null;
}

/** Something that it leaves behind may hold its output open for ever. */
const LAST_WORDS_MS = 200;

/** Runs a short program to its end and returns what it printed, whatever becomes of it. */
export function runProgram(argv: readonly string[], order: ProgramOrder): Promise<ProgramEnd> {
  const { cwd, env, timeoutMs, charsMax, input, goesOn = false, isApart = goesOn } = order;
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' };
    let [code, signal, stopped, error]: [
      ProgramEnd['code'],
      ProgramEnd['signal'],
      ProgramEnd['stopped'],
      Error | null,
    ] = [null, null, null, null];
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { cwd, env, stdio: [...stdio], detached: isApart });
    // Whatever we wait for beside it keeps us alive.
    if (goesOn)
      for (const one of [child, child.stdout, child.stderr]) (one as { unref?: () => void } | null)?.unref?.();
    const stop = (why: 'time' | 'output'): void => {
      stopped ??= why;
      if (goesOn) return why === 'time' ? end() : undefined;
      kill(child.pid, isApart);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    };
    const timer = setTimeout(() => stop('time'), timeoutMs);
    if (goesOn) timer.unref();
    const end = (): void => {
      clearTimeout(timer);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      resolve({ code, signal, ...said, stopped, error });
    };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        if (!goesOn || stopped === null) said[name] += text;
        if (said[name].length > charsMax) stop('output');
      });
    child.on('error', (cause) => {
      error = cause;
      end();
    });
    child.on('exit', (exit, by) => {
      [code, signal] = [exit, by];
      // Of one that is apart nothing stays that could hold it open, and it may have said a lot.
      if (!isApart || goesOn) setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.on('close', end);
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function kill(pid: number | undefined, isGroup: boolean): void {
  try {
    if (pid !== undefined) process.kill(isGroup ? -pid : pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
