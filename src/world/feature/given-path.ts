import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shortLine } from '../../text/screen/clean.ts';

/** Of every file system there is. */
const NAME_BYTES_MAX = 255;
const PATH_BYTES_MAX = 3000;
const SHOWN_CHARS = 80;

/** A path that somebody gave for a worktree, made absolute. Where it leads must be seen by reading it. */
export function givenPath(text: string, cwd: string, env: NodeJS.ProcessEnv): string {
  const why = whyNotAPath(text);
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

function whyNotAPath(text: string): string | null {
  if (text.trim() === '') return 'it is empty';
  if (/\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)) return 'it holds a character that cannot be seen';
  if (Buffer.byteLength(text) > PATH_BYTES_MAX) return 'it is too long';
  const parts = text.split('/');
  if (parts.includes('..')) return 'two dots lead elsewhere';
  if (parts.some((part) => Buffer.byteLength(part) > NAME_BYTES_MAX)) return 'a name in it is too long';
  return null;
}
