import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, writePrivately } from '../../os/files.ts';
import { namesIfThere } from '../../os/read-if-there.ts';
import { markOf } from './executing-settings.ts';

/** An iteration whose agent may still work, or did until its host was killed: nobody has checked yet what it did. */
export interface OpenSeal {
  readonly loop: string;
  readonly n: number;
  /** Its run folder. */
  readonly dir: string;
  readonly atMs: number;
}

/** From the taking of a seal to the start of its agent; without an agent there is nothing to check. */
const UNSTARTED_MS_MAX = 60_000;

/** Beside the run folders, so that no command has to go through all of them to learn that there is none. */
const folderOf = (commonDir: string): string => join(commonDir, 'paralph/seals');
const fileOf = (commonDir: string, seal: Pick<OpenSeal, 'loop' | 'n'>): string =>
  join(folderOf(commonDir), `${sealName(seal)}.json`);

export const sealName = ({ loop, n }: Pick<OpenSeal, 'loop' | 'n'>): string => `${loop}-${n}`;

/** By its name: whether nobody has checked it yet, or gone on without. */
export const isUnchecked = (commonDir: string, name: string): boolean =>
  existsSync(join(folderOf(commonDir), `${name}.json`));

interface Known {
  readonly mark: string;
  readonly seals: readonly OpenSeal[];
}

const known = new Map<string, Known>();

/** Oldest first; of all hosts, also of dead ones. */
export function openSealsOf(commonDir: string): readonly OpenSeal[] {
  const mark = markOf(folderOf(commonDir));
  if (mark === '') return [];
  const last = known.get(commonDir);
  if (last?.mark === mark) return last.seals;
  const names = namesIfThere(folderOf(commonDir)).filter((one) => one.endsWith('.json'));
  const seals = readSeals(commonDir, names);
  // One whose agent was not started may be open later, and nothing in this folder changes then.
  if (seals.length === names.length) known.set(commonDir, { mark, seals });
  return seals;
}

/** After what it is about has been written, and before its agent starts. */
export function noteOpenSeal(commonDir: string, seal: OpenSeal): void {
  mkdirSync(folderOf(commonDir), { recursive: true, mode: 0o700 });
  const given = openSealsOf(commonDir).filter(({ loop, n }) => loop === seal.loop && n < seal.n);
  writePrivately(fileOf(commonDir, seal), JSON.stringify(seal));
  // A loop that has gone on to its next iteration never comes back to one that nobody ended.
  for (const one of given) rmSync(fileOf(commonDir, one), { force: true });
  known.delete(commonDir);
}

/** After all that could be put back has been. */
export function noteChecked(commonDir: string, seal: Pick<OpenSeal, 'loop' | 'n'>): void {
  rmSync(fileOf(commonDir, seal), { force: true });
  known.delete(commonDir);
}

function readSeals(commonDir: string, names: readonly string[]): readonly OpenSeal[] {
  const seals: OpenSeal[] = [];
  for (const name of names) {
    const seal = readJsonFile(join(folderOf(commonDir), name)) as OpenSeal | null;
    if (seal !== null && isOpen(seal)) seals.push(seal);
    // The run folder was cleared away, and with it all that a check could go by.
    else if (seal !== null && !existsSync(seal.dir)) noteChecked(commonDir, seal);
  }
  return seals.toSorted((one, other) => one.atMs - other.atMs);
}

function isOpen({ dir, atMs }: OpenSeal): boolean {
  if (!existsSync(join(dir, 'seal.json'))) return false;
  return existsSync(join(dir, 'start.json')) || Date.now() - atMs < UNSTARTED_MS_MAX;
}
