import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopId } from '../../core/model/ids.ts';
import { makePrivateFolder, readJsonFile, writePrivately } from '../os/files.ts';
import type { Repository } from '../git/run/repository.ts';

/** What the command line that started a single loop asked for: whoever goes on with it goes by that. */
export interface StartedWith {
  /** Settings by dotted key, as they were typed. */
  readonly settings: Readonly<Record<string, string>>;
  /** It stays ready instead of landing by itself. */
  readonly staysReady: boolean;
}

const folderOf = (repo: Repository): string => join(repo.stateDir, 'started');
const fileOf = (repo: Repository, loop: LoopId): string => join(folderOf(repo), `${loop}.json`);

export function writeStartedWith(repo: Repository, loop: LoopId, started: StartedWith): void {
  makePrivateFolder(folderOf(repo));
  writePrivately(fileOf(repo, loop), JSON.stringify({ version: 1, ...started }));
}

/** Null: nothing is known of it. */
export function readStartedWith(repo: Repository, loop: LoopId): StartedWith | null {
  const value = readJsonFile(fileOf(repo, loop)) as (Partial<StartedWith> & { readonly version?: unknown }) | null;
  if (value?.version !== 1) return null;
  const entries = Object.entries(value.settings ?? {}).filter(([, text]) => typeof text === 'string');
  return { settings: Object.fromEntries(entries), staysReady: value.staysReady === true };
}

/** It is over: nobody goes on with it. */
export function dropStartedWith(repo: Repository, loop: LoopId): void {
  rmSync(fileOf(repo, loop), { force: true });
}
