import { spawn } from 'node:child_process';
import { AppError } from '../../core/model/errors.ts';

export interface TalkOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Hands this terminal to an interactive program until it ends; its exit code, 128 + n after a signal. */
export function talkToAgent({ argv, cwd, env }: TalkOrder): Promise<number> {
  const [program = '', ...args] = argv;
  // The terminal sends Ctrl-C to both of us: it is meant for whoever is talked to.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  process.on('SIGQUIT', ignore);
  return new Promise<number>((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    child.on('error', (cause) => {
      reject(
        new AppError('E_AGENT_MISSING', `${program} cannot be started: ${cause.message}`, {
          cause,
          remedy: 'ralph agents check',
        }),
      );
    });
    child.on('exit', (code) => resolve(code ?? 128));
  }).finally(() => {
    process.removeListener('SIGINT', ignore);
    process.removeListener('SIGQUIT', ignore);
  });
}
