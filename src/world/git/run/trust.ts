import { join } from 'node:path';
import { readJsonFile } from '../../os/files.ts';
import { type ProcessIdentity, isAlive } from '../../processes/identity.ts';
import { readIfThere } from '../../os/read-if-there.ts';
import { type Settings, markOf } from './executing-settings.ts';
import { openSealsOf } from './open-seals.ts';

/**
 * How the repository told git to read and write files, before the first agent of a run started. While the run goes on, our git
 * obeys this and nothing that was set since.
 */
export interface Trust {
  /** Processes that have agents in this run. */
  readonly holders: readonly ProcessIdentity[];
  /** What makes git run programs. */
  readonly settings: Settings;
  /** The repository's own settings, as `git config -z --list` prints them. */
  readonly config: string;
  /** Files of the git folder as latin1, by name; null: there was none. */
  readonly files: Readonly<Record<TrustedFile, string | null>>;
}

export const TRUSTED_FILES = ['info/attributes', 'info/exclude', 'shallow', 'objects/info/alternates'] as const;
export type TrustedFile = (typeof TRUSTED_FILES)[number];

export const trustFile = (commonDir: string): string => join(commonDir, 'paralph/trust.json');

/** What this process holds: nobody can change that. */
const held = new Map<string, Trust>();
const read = new Map<string, { readonly mark: string; readonly trust: Trust | null }>();

export const holdInMemory = (commonDir: string, trust: Trust): void => void held.set(commonDir, trust);

/** What counts now; null: no run is under way, so everything does. */
export function trustOf(commonDir: string): Trust | null {
  const own = held.get(commonDir);
  if (own !== undefined) return own;
  const mark = markOf(trustFile(commonDir));
  if (mark === '') return null;
  const last = read.get(commonDir);
  const trust = last?.mark === mark ? last.trust : (readJsonFile(trustFile(commonDir)) as Trust | null);
  read.set(commonDir, { mark, trust });
  // Agents outlive their hosts.
  const isUnderWay = trust !== null && (trust.holders.some(isAlive) || openSealsOf(commonDir).length > 0);
  return isUnderWay ? trust : null;
}

export const fileNow = (commonDir: string, name: TrustedFile): string | null =>
  readIfThere(join(commonDir, name))?.toString('latin1') ?? null;

/** Under which git takes a history for no shorter than it was before the run. */
export function trustedShallow(commonDir: string): Readonly<Record<string, string>> {
  const before = trustOf(commonDir)?.files.shallow;
  if (before === undefined || before === fileNow(commonDir, 'shallow')) return {};
  if (before === null) return { GIT_SHALLOW_FILE: '' };
  return { GIT_SHALLOW_FILE: join(commonDir, 'paralph/trusted/shallow') };
}
