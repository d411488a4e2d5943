import { spawn } from 'node:child_process';
import { AppError } from '../../core/model/errors.ts';
import { LOOP_VARIABLE, TOKEN_VARIABLE } from './marker.ts';

/** They would make a person's shell an agent's, or lead git to another checkout. */
const STRIPPED = [
  LOOP_VARIABLE,
  TOKEN_VARIABLE,
  'RALPH_TASK_ID',
  'RALPH_ITERATION',
  'RALPH_NODE',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'OLDPWD',
];

/** A person's own shell in a folder, on their terminal, until they leave it. `again`: the command that asks for it. */
export async function runShell(
  folder: string,
  user: NodeJS.ProcessEnv,
  set: Readonly<Record<string, string>>,
  again: string,
): Promise<void> {
  const given = user['SHELL'] ?? '';
  const shell = given === '' ? '/bin/sh' : given;
  const env: NodeJS.ProcessEnv = { ...user };
  for (const name of STRIPPED) delete env[name];
  const ignore = (): void => {};
  // Ctrl-C is the shell's while it runs.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, ignore);
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(shell, [], { cwd: folder, env: { ...env, ...set, PWD: folder }, stdio: 'inherit' });
      child.on('error', (cause) =>
        reject(
          new AppError('E_PROCESS', `the shell ${shell} cannot be started: ${cause.message}`, {
            remedy: `SHELL=/bin/sh ${again}`,
            cause,
          }),
        ),
      );
      child.on('close', () => resolve());
    });
  } finally {
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.off(signal, ignore);
  }
}
