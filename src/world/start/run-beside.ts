import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

interface BesideOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it prints as data, as it comes. */
  readonly onData: (text: string) => void;
  readonly onSay: (text: string) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs programs side by side to their ends, and hands every signal on to each, once. Their exit codes, 128 + n after a signal. */
export async function runBeside(orders: readonly BesideOrder[]): Promise<readonly number[]> {
  // In groups of their own: what a terminal sends reaches us alone.
  const children = orders.map(({ argv: [program = '', ...args], cwd, env, onData, onSay }) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', onData);
    child.stderr.setEncoding('utf8').on('data', onSay);
    return child;
  });
  const onSignal = (name: NodeJS.Signals): void => {
    for (const child of children) child.kill(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await Promise.all(
      children.map(async (child) => {
        const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
        return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
      }),
    );
  } finally {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
  }
}
