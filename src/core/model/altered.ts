import { howMany } from './describe-time.ts';
/** What gates did to the files they were given. None of it lands. */
export interface Altered {
  /** The gates that ran; which of several it was is not known. */
  readonly by: readonly string[];
  /** How many tracked files they changed, deleted, added to the index or committed. */
  readonly files: number;
  /** Some of them. */
  readonly paths: readonly string[];
  /** They left HEAD at another commit. */
  readonly committed: boolean;
}

/** As in: gate `npm test` changed 2 tracked files: a, b. */
export function describeAltered({ by, files, paths, committed }: Altered): string {
  const who = by.length === 1 ? 'gate' : 'one of the gates';
  const acts: string[] = [];
  if (files > 0) acts.push(`changed ${howMany(files, 'tracked file')}`);
  if (committed) acts.push(files > 0 ? 'committed' : 'moved HEAD');
  const more = files > paths.length ? `, and ${files - paths.length} more` : '';
  const which = paths.length === 0 ? '' : `: ${paths.join(', ')}${more}`;
  return `${who} ${by.map((command) => `\`${command}\``).join(', ')} ${acts.join(' and ')}${which}`;
}
