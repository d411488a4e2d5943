import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { systemFailure } from './system-failure.ts';

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

/** The disk has nothing to do with it. */
const SHORT = new Set(['EAGAIN', 'EMFILE', 'ENFILE']);

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a write did not happen: the folder refuses us, or the disk does. What is not the system's fault stays what it is. */
export function cannotWrite(dir: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null) return error;
  if (SHORT.has(code)) return systemFailure(`${dir} cannot be written now`, error);
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
