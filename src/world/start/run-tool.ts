import { spawn } from 'node:child_process';

export interface ToolOrder {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** What it reads; null: nothing. */
  readonly input: string | Buffer | null;
}

export interface ToolAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Something a tool leaves behind may hold its output open for ever. */
const LAST_WORDS_MS = 200;
const SAID_CHARS_MAX = 100_000;

/** Runs a short helper program of the user's; one that fails, hangs or cannot be started is merely not ok. */
export function runTool(argv: readonly string[], { env, cwd, timeoutMs, input }: ToolOrder): Promise<ToolAnswer> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' };
    let code: number | null = null;
    const child = spawn(program, args, { cwd, env, stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    const timer = setTimeout(() => void child.kill('SIGKILL'), timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ ok: code === 0, ...said });
    };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        if (said[name].length < SAID_CHARS_MAX) said[name] += text;
      });
    child.on('error', end);
    child.on('exit', (exit) => {
      code = exit;
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.on('close', end);
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
