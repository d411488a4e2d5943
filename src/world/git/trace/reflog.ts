import { join } from 'node:path';
import type { Sha } from '../../../core/model/ids.ts';
import { sha } from '../../../core/model/ids.ts';
import { readIfThere } from '../../os/read-if-there.ts';
import { isDuringSecond } from './git-trace.ts';
import type { GitCommand } from './git-trace.ts';
import { hasOtherWords, isNever } from './ref-commands.ts';

export interface ReflogEntry {
  readonly from: Sha;
  readonly to: Sha;
  readonly atSeconds: number;
  readonly message: string;
  readonly line: string;
}

/** What git wrote down about a ref (or HEAD) of a git folder, oldest first. */
export function readReflog(gitDir: string, ref: string): readonly ReflogEntry[] {
  return parseReflog(readIfThere(join(gitDir, 'logs', ref))?.toString('utf8') ?? '');
}

export function parseReflog(text: string): readonly ReflogEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, from, to, at, message = ''] =
      /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/.exec(line) ?? [];
    if (from === undefined || to === undefined) return [];
    return [{ from: sha(from), to: sha(to), atSeconds: Number(at), message, line }];
  });
}

/**
 * Whether one of these commands may have made an entry: our own carry our name, the others a second and what git calls it. `among`:
 * a second is long, and one that has the words of the command there is the one that it made.
 */
export function isMadeBy(
  commands: readonly GitCommand[],
  entry: ReflogEntry,
  among: readonly ReflogEntry[] = [],
): boolean {
  const isFor = (command: GitCommand, one: ReflogEntry): boolean => !hasOtherWords(command, one.message);
  const isThen = (command: GitCommand, one: ReflogEntry): boolean =>
    command.isDated === true ? isFor(command, one) : isDuringSecond(command, one.atSeconds);
  const may = (command: GitCommand, one: ReflogEntry): boolean =>
    !one.message.startsWith('paralph') && isThen(command, one) && !isNever(command, one.message);
  return commands.some(
    (command) =>
      may(command, entry) &&
      (isFor(command, entry) || !among.some((other) => may(command, other) && isFor(command, other))),
  );
}
