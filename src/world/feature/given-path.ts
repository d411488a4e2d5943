import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shortLine } from '../../text/screen/clean.ts';

const SHOWN_CHARS = 80;

/** A path that somebody gave for a worktree, made absolute. Where it leads must be seen by reading it. */
export function givenPath(text: string, cwd: string, env: NodeJS.ProcessEnv): string {
  const why = /\p{Cc}/u.test(text)
    ? 'it holds a control character'
    : text.split('/').includes('..')
      ? 'two dots lead elsewhere'
      : null;
  if (why !== null)
    throw new AppError('E_NAME', `${JSON.stringify(shortLine(text, SHOWN_CHARS))} is no path for a worktree: ${why}`, {
      remedy: 'ralph worktree list',
    });
  const home = (env['HOME'] ?? '') === '' ? homedir() : (env['HOME'] ?? '');
  return resolve(
    cwd,
    text.replace(/^~(?=\/|$)/, () => home),
  );
}
