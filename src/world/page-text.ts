import { spawn } from 'node:child_process';
import { choosePager, pagerVariables } from '../text/screen/pager.ts';
import { parseConfigList } from './git/run/executing-settings.ts';
import { listSettings } from './git/run/run-git.ts';
import type { Write } from './os/rewrite-stream.ts';

/** What a shell says of a command that is not there, or may not be run. */
const NOT_RUN = new Set([126, 127]);

/** Shows a text through the user's pager. False: there is none, or it cannot be run. Only for a terminal. */
export async function pageText(write: Write, env: NodeJS.ProcessEnv): Promise<boolean> {
  // Of the user's own files alone: what an agent wrote into the repository's must not be run.
  const settings = new Map(parseConfigList(await listSettings(null)));
  const pager = choosePager({ env, settings });
  return pager === null ? false : runPager(pager, write, { ...pagerVariables(env), ...env });
}

async function runPager(pager: string, write: Write, env: NodeJS.ProcessEnv): Promise<boolean> {
  // Ctrl-C is the pager's while it runs.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    // The user's own words, which git gives to a shell as well.
    const child = spawn('sh', ['-c', pager], { stdio: ['pipe', 'inherit', 'inherit'], env });
    const shown = new Promise<boolean>((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => resolve(!NOT_RUN.has(code ?? 0)));
    });
    // Somebody who has seen enough closes it.
    child.stdin.on('error', ignore);
    const written = write(child.stdin).finally(() => child.stdin.end());
    const [isShown] = await Promise.all([shown, written]);
    return isShown;
  } finally {
    process.off('SIGINT', ignore);
  }
}
