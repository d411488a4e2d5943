import type { ErrorCode, ExitCode } from '../../../core/model/errors.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import { isDiskFull } from '../../../engine/trouble/disk-full.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import type { Output } from '../../call/output.ts';

/** The one place where an error becomes words: what, the facts, and the command that fixes it. */
export function reportError(thrown: unknown, out: Output, json: boolean, version: string): ExitCode {
  const error = asWant(thrown) ?? thrown;
  if (!(error instanceof AppError)) return reportBug(error, out, version);
  const remedy = error.remedy ?? remedyFor(error);
  if (json) {
    out.say(
      JSON.stringify({
        error: { code: error.code, message: error.message, facts: error.facts, remedy, exit: error.exit },
      }),
    );
    return error.exit;
  }
  out.say(`${out.style.red(`error[${error.code}]`)}: ${cleanText(error.message)}`);
  for (const fact of error.facts) out.say(`  ${cleanText(fact)}`);
  if (remedy !== null) out.say(`fix: ${cleanText(remedy)}`);
  return error.exit;
}

/** Any git command may fail, and those who call it seldom know of what. */
function remedyFor(error: AppError): string | null {
  if (isDiskFull(error)) return 'df -h .';
  return error.code === 'E_GIT' ? 'ralph doctor' : null;
}

const WANTED: ReadonlyMap<unknown, readonly [ErrorCode, string]> = new Map([
  ['ENOSPC', ['E_DISK', 'df -h .']],
  ['EDQUOT', ['E_DISK', 'df -h .']],
  ['EMFILE', ['E_PROCESS', 'ulimit -n 4096']],
  ['ENFILE', ['E_PROCESS', 'ulimit -n']],
  ['EAGAIN', ['E_PROCESS', 'ps -u "$(id -un)"']],
]);

/** Anything can meet a full disk, or a system short of files and processes, and none of that is a bug. */
function asWant(error: unknown): AppError | null {
  const [code, remedy] = (error instanceof Error && 'code' in error ? WANTED.get(error.code) : undefined) ?? [];
  if (!(error instanceof Error) || code === undefined || remedy === undefined) return null;
  return new AppError(code, `${error.message}; no finished work is lost`, { remedy, cause: error });
}

function reportBug(error: unknown, out: Output, version: string): ExitCode {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  out.say(`${out.style.red('bug')}: paralph ${version} hit an internal error; what has landed is not affected`);
  out.say(cleanText(text));
  out.say('fix: ralph doctor, and please report the lines above');
  return EXIT.bug;
}
