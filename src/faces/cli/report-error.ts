import type { ExitCode } from '../../core/errors.ts';
import { AppError, EXIT } from '../../core/errors.ts';
import { isDiskFull } from '../../engine/disk-full.ts';
import { cleanText } from '../../text/screen/clean.ts';
import type { Output } from './output.ts';

/** The one place where an error becomes words: what, the facts, and the command that fixes it. */
export function reportError(thrown: unknown, out: Output, json: boolean, version: string): ExitCode {
  const error = asFullDisk(thrown) ?? thrown;
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

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Any write can meet a full disk, and none of them is a bug. */
function asFullDisk(error: unknown): AppError | null {
  if (!(error instanceof Error) || !('code' in error) || !FULL.has(error.code)) return null;
  return new AppError('E_DISK', `${error.message}. Nothing that was done is lost.`, {
    remedy: 'df -h .',
    cause: error,
  });
}

function reportBug(error: unknown, out: Output, version: string): ExitCode {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  out.say(
    `${out.style.red('bug')}: paralph ${version} met something it should not have; nothing it had landed is affected.`,
  );
  out.say(cleanText(text));
  out.say('fix: ralph doctor, and please report the lines above');
  return EXIT.bug;
}
