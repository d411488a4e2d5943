import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { readJsonFile, writePrivately } from '../os/files.ts';
import { errnoOf } from '../os/system-failure.ts';
import { findConfig, findGitFiles } from './find-config.ts';
import { areFixturesFound, findFixtures, findPointer, findRemovedWorktrees } from './find-worktrees.ts';
import { findHead, findIndex } from './find-head.ts';
import { findNeighbours } from './find-neighbours.ts';
import { findRefs } from './find-refs.ts';
import { findStash } from './find-stash.ts';
import { BREACH } from './is-leak.ts';
import { keepLeaks, keepOwn } from './keep-leaks.ts';
import type { Breach } from '../../core/model/model.ts';
import type { FileFindings } from './find-files.ts';
import type { Finding, Scene } from './scene.ts';

/** What a check came to. */
export interface Noted {
  /** Null: there was none. */
  readonly breach: Breach | null;
  /** Everything that could be put back has been. */
  readonly isDone: boolean;
}

export function readNoted(dir: string): Noted | null {
  const value = readJsonFile(join(dir, BREACH)) as Partial<Noted> | null;
  return value?.breach === undefined ? null : (value as Noted);
}

function writeNoted(dir: string, noted: Noted): void {
  writePrivately(join(dir, BREACH), JSON.stringify(noted));
}

/** Keeps what the agent made, writes that down, and only then puts back. `known`: what a host that died at it had come to. */
export async function settle(
  scene: Scene,
  dir: string,
  { findings: files, unclear }: FileFindings,
  known: Noted | null,
): Promise<Breach | null> {
  const cutOff = findPointer(scene, dir);
  const findings = [...(await findElsewhere(scene)), ...files, ...(await findNeighbours(scene, dir)), ...cutOff];
  // What it had put back already can no longer be seen, but was done all the same.
  const { did, kept, restored } = known?.breach ?? { did: [], kept: [], restored: [] };
  const breach = { did: [...did], kept: [...kept], restored: [...restored] };
  let isHooks = false;
  if (findings.length > 0) {
    add(breach.did, ...findings.map((one) => one.did));
    // Who strayed elsewhere is the likelier one here too; but it may have been the user, so it is only named.
    if (unclear.length > 0) add(breach.did, `perhaps also changed in the main checkout: ${unclear.join(', ')}`);
    add(breach.kept, ...(await keepLeaks(scene, findings)));
    writeNoted(dir, { breach, isDone: false });
    const mayGoOn = did.length === 0 && unclear.length === 0 && isHooksAlone(scene, findings);
    let isBack = true;
    for (const { restore } of findings) {
      const said = restore === null ? null : await attempt(restore);
      add(breach.restored, said);
      isBack &&= said !== null;
    }
    for (const { did: why } of cutOff) add(breach.kept, ...(await keepOwn(scene, why)));
    isHooks = mayGoOn && isBack;
  }
  const found = breach.did.length === 0 ? null : isHooks ? { ...breach, isHooks } : breach;
  writeNoted(dir, { breach: found, isDone: true });
  return found;
}

/** A hook of the repository's did all of it, by mistake, and nothing of that is left out here. */
const isHooksAlone = (scene: Scene, findings: readonly Finding[]): boolean =>
  findings.every((one) => one.isHooks === true) && areFixturesFound(scene);

/** A lock in the way or a full disk: then it is for a person, who is told that it was not put back. */
async function attempt(restore: () => Promise<string | null>): Promise<string | null> {
  try {
    return await restore();
  } catch (error) {
    if (error instanceof AppError || errnoOf(error) !== null) return null;
    throw error;
  }
}

function add(list: string[], ...lines: readonly (string | null)[]): void {
  for (const line of lines) if (line !== null && !list.includes(line)) list.push(line);
}

/** In the order in which they are put back: first what git would obey while the rest is done. */
async function findElsewhere(scene: Scene): Promise<readonly Finding[]> {
  return [
    ...(await findConfig(scene)),
    ...findGitFiles(scene),
    ...findRefs(scene),
    ...findFixtures(scene),
    ...findHead(scene),
    ...(await findIndex(scene)),
    ...(await findStash(scene)),
    ...findRemovedWorktrees(scene),
  ];
}
