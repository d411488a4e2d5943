import { existsSync } from 'node:fs';
import { AppError, UPGRADE } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';

/** The system's code (ENOENT and the like), or null for any other error. */
export function errorCode(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

const REFUSED = new Set(
  'EACCES EPERM EROFS ENOENT ENOTDIR EISDIR ENOTEMPTY EEXIST ELOOP ENAMETOOLONG EOPNOTSUPP ENOTSUP ENOSYS EXDEV'.split(
    ' ',
  ),
);

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a write did not happen: the folder refuses us, or the disk does. What is not the system's fault stays what it is. */
export function cannotWrite(dir: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null) return error;
  const message = `cannot write to ${dir}: ${reason(error)}`;
  return REFUSED.has(code)
    ? new AppError('E_STATE_UNWRITABLE', message, { remedy: `ls -ld ${shellWord(dir)}`, cause: error })
    : new AppError('E_DISK', message, { remedy: `df -h ${shellWord(dir)}`, cause: error });
}

export function cannotRead(path: string, error: unknown): AppError {
  return new AppError('E_STATE_UNWRITABLE', `cannot read ${path}: ${reason(error)}`, {
    remedy: `ls -ld ${shellWord(path)}`,
    cause: error,
  });
}

/** `where` is `path:line`. */
export function damaged(where: string, what: string): AppError {
  return new AppError('E_LOG_DAMAGED', `${where}: ${what}`, { remedy: 'ralph doctor --fix' });
}

export function missingRecord(dir: string, seq: number): AppError {
  if (existsSync(dir)) return damaged(dir, `record ${seq} is missing`);
  return new AppError('E_LOG_DAMAGED', `${dir}: record ${seq} is missing: the log was removed while it was in use`, {
    facts: [
      'Nothing new is started or landed. Agents that run go on; what they make is in their worktrees.',
      'The next run takes up what branches, worktrees and the history tell.',
    ],
    remedy: 'ralph run --parallel',
  });
}

export function newerFormat(where: string, version: number, ours: number): AppError {
  return new AppError('E_LOG_NEWER', `${where}: format ${version}, but this version knows only up to ${ours}`, {
    remedy: UPGRADE,
  });
}
