import { AppError } from '../../core/model/errors.ts';
import type { ErrorCode } from '../../core/model/errors.ts';

interface Failure {
  readonly code: ErrorCode;
  readonly means: string;
  readonly remedy?: string;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  E2BIG: { code: 'E_PROCESS', means: 'its arguments and environment are too long' },
  EAGAIN: { code: 'E_PROCESS', means: 'too many processes', remedy: 'ulimit -u unlimited' },
  EMFILE: { code: 'E_PROCESS', means: 'too many open files', remedy: 'ulimit -n 4096' },
  ENFILE: { code: 'E_PROCESS', means: 'too many open files on this system' },
  ENOMEM: { code: 'E_PROCESS', means: 'out of memory' },
  ENOSPC: { code: 'E_DISK', means: 'no space left' },
  EDQUOT: { code: 'E_DISK', means: 'the quota is used up' },
  EFBIG: { code: 'E_DISK', means: 'files may not grow further', remedy: 'ulimit -f unlimited' },
  EACCES: { code: 'E_STATE_UNWRITABLE', means: 'permission denied' },
  EROFS: { code: 'E_STATE_UNWRITABLE', means: 'the file system is read-only' },
  ELOOP: { code: 'E_STATE_UNWRITABLE', means: 'a link is in the place of a plain file' },
  EEXIST: { code: 'E_STATE_UNWRITABLE', means: 'something else has its name' },
  ENOTDIR: { code: 'E_STATE_UNWRITABLE', means: 'a file is in the place of a folder' },
  EISDIR: { code: 'E_STATE_UNWRITABLE', means: 'a folder is in the place of a file' },
  ENAMETOOLONG: { code: 'E_STATE_UNWRITABLE', means: 'the name is too long' },
  ENOENT: { code: 'E_STATE_UNWRITABLE', means: 'no such file or folder' },
};

/** The operating error behind a failed system call. `what` is the sentence it ends, without a full stop. */
export function systemFailure(what: string, cause: unknown): AppError {
  const errno = errnoOf(cause);
  const failure = (errno === null ? undefined : FAILURES[errno]) ?? { code: 'E_PROCESS', means: String(cause) };
  const remedy = failure.remedy === undefined ? {} : { remedy: failure.remedy };
  return new AppError(failure.code, `${what}: ${failure.means}`, { ...remedy, cause });
}

export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
