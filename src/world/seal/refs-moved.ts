import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { gitDirsOf, headsOf, writtenMs } from './scene.ts';
import type { Scene } from './scene.ts';
import { isDuring, isDuringSecond, mayHaveWorked, readTrace } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { deletes, fits, hidesRefs, movesHead, names, makes } from '../git/trace/ref-commands.ts';
import { isMadeBy, readReflog } from '../git/trace/reflog.ts';
import { runFolder } from '../git/run/state-places.ts';
import { readFingerprint } from './fingerprint.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Iteration } from '../contract/world.ts';
import type { Fingerprint } from './fingerprint.ts';

/** A ref that the agent moved. */
export interface MovedRef {
  readonly ref: string;
  readonly from: Sha | null;
  readonly to: Sha | null;
  /** What the agent made of it, also if somebody has gone on from there. */
  readonly leaked: Sha | null;
  /** Nobody touched it after the agent did. */
  readonly isLast: boolean;
  /** The git folders in which it did so. */
  readonly gitDirs: readonly string[];
}

/** Refs that are an agent's own business: its branch, what it fetched, and names it made up itself. */
function isFree(ref: string, branch: string, wasThere: boolean): boolean {
  if (ref === `refs/heads/${branch}` || ref === 'refs/stash') return true;
  if (/^refs\/(?:bisect|rewritten|worktree|notes|prefetch)\//.test(ref)) return true;
  return !wasThere && !ref.startsWith('refs/replace/') && !ref.startsWith('refs/paralph/');
}

/** Every ref that is not where it was, and that the agent is known to have moved. */
export function findMovedRefs(scene: Scene): readonly MovedRef[] {
  const refs = new Set([...Object.keys(scene.before.refs), ...Object.keys(scene.after.refs)]);
  return [...refs].flatMap((ref) => findMovedRef(scene, ref) ?? []);
}

/** Null: the ref is where it was, or somebody else moved it. */
export function findMovedRef(scene: Scene, ref: string): MovedRef | null {
  const [from = null, to = null] = [scene.before.refs[ref], scene.after.refs[ref]];
  if (from === to || isFree(ref, scene.branch, from !== null && !scene.made.has(ref))) return null;
  const found = to === null ? whoDeleted(scene, ref) : (whoMoved(scene, ref, to) ?? whoWrote(scene, ref, from, to));
  return found === null ? null : { ref, from: stoodBefore(scene, ref, from, to), to, ...found };
}

/** Where it stood before the agent moved it: its owner, or we, may have brought it there since the iteration began. */
function stoodBefore(scene: Scene, ref: string, from: Sha | null, to: Sha | null): Sha | null {
  const entries = readReflog(scene.place.repo.commonDir, ref);
  const since = entries.slice(entries.findLastIndex((entry) => entry.to === from) + 1);
  const able = scene.trace.filter((command) => canMove(scene, command, ref));
  const first = since.findLastIndex((entry) => !isMadeBy(able, entry, since)) + 1;
  return from !== null && since.at(-1)?.to === to ? (since[first]?.from ?? from) : from;
}

type Who = Pick<MovedRef, 'leaked' | 'isLast' | 'gitDirs'>;

/** A deletion leaves no time behind, so only an order by name counts. */
function whoDeleted(scene: Scene, ref: string): Who | null {
  const command = scene.trace.find((one) => names(one, ref) && deletes(one) && mayHaveWorked(one));
  if (command !== undefined) return { leaked: null, isLast: true, gitDirs: gitDirsOf(scene, command) };
  // git takes the reflog along; who removes the file leaves it, and nobody removes the branch they stand on that way.
  const isPastGit = readReflog(scene.place.repo.commonDir, ref).at(-1)?.to === scene.before.refs[ref];
  const isStoodOn = scene.before.head === scene.after.head && scene.before.head.trim() === `ref: ${ref}`;
  const isKnown = scene.programmed(join(scene.place.repo.commonDir, ref)) || (isStoodOn && scene.isAlone(scene.toMs));
  return isPastGit && isKnown ? { leaked: null, isLast: true, gitDirs: [] } : null;
}

function whoMoved(scene: Scene, ref: string, to: Sha): Who | null {
  const able = scene.trace.filter((command) => canMove(scene, command, ref));
  if (able.length === 0) return null;
  const { commonDir } = scene.place.repo;
  const atMs = writtenMs(join(commonDir, ref));
  const { to: noted, message } = readReflog(commonDir, ref).at(-1) ?? {};
  const last =
    atMs === null
      ? undefined
      : able.find(
          (one) => isDuring(one, atMs) && stoodAt(scene, one, ref, to) && fits(one, noted === to ? message : undefined),
        );
  if (last !== undefined) return { leaked: to, isLast: true, gitDirs: gitDirsOf(scene, last) };
  return atMs === null || able.some(({ name }) => name === 'commit')
    ? whoCameBefore(scene, ref, able, atMs === null)
    : null;
}

/** The agent moved it, and somebody else went on from there; or it is packed, and only its reflog tells a time. */
function whoCameBefore(scene: Scene, ref: string, able: readonly GitCommand[], isPacked: boolean): Who | null {
  const entries = readReflog(scene.place.repo.commonDir, ref);
  const since = entries.slice(entries.findLastIndex(({ to }) => to === scene.before.refs[ref]) + 1);
  for (const command of able.filter((one) =>
    isPacked ? mayHaveWorked(one) : one.name === 'commit' && one.code === 0,
  )) {
    const during = since.filter(({ atSeconds }) => isDuringSecond(command, atSeconds));
    // A second is long: with two moves in it nobody can say whose is whose.
    const [entry, other] = during;
    if (entry === undefined || other !== undefined || !isMadeBy([command], entry)) continue;
    if (!stoodAt(scene, command, ref, entry.to)) continue;
    return { leaked: entry.to, isLast: isPacked && entry === entries.at(-1), gitDirs: gitDirsOf(scene, command) };
  }
  return null;
}

function canMove(scene: Scene, command: GitCommand, ref: string): boolean {
  if (names(command, ref) || hidesRefs(command)) return true;
  return movesHead(command) && gitDirsOf(scene, command).some((dir) => headsOf(scene, dir).has(ref));
}

/** A command that moves what HEAD stands on has moved HEAD along, where it worked. */
function stoodAt(scene: Scene, command: GitCommand, ref: string, commit: Sha): boolean {
  if (names(command, ref) || hidesRefs(command)) return true;
  return gitDirsOf(scene, command).some((dir) => readReflog(dir, 'HEAD').some(({ to }) => to === commit));
}

/** A ref written as a file, past git: its reflog knows nothing, and the commit is one the agent has made. */
function whoWrote(scene: Scene, ref: string, from: Sha | null, to: Sha): Who | null {
  const file = join(scene.place.repo.commonDir, ref);
  const atMs = writtenMs(file);
  const last = readReflog(scene.place.repo.commonDir, ref).at(-1);
  if (atMs === null || atMs < scene.fromMs || atMs > scene.toMs || last === undefined || last.to !== from) return null;
  if (!ownCommits(scene).has(to) && !scene.told([file, `/${ref}`]) && !scene.programmed(file)) return null;
  return { leaked: to, isLast: true, gitDirs: [] };
}

/** What HEAD of the agent's own worktree came to since it began. */
function ownCommits(scene: Scene): ReadonlySet<Sha> {
  const since = Math.floor(scene.fromMs / 1000);
  const entries = scene.before.own === null ? [] : readReflog(scene.before.own.adminDir, 'HEAD');
  return new Set(entries.filter(({ atSeconds }) => atSeconds >= since).map(({ to }) => to));
}

/** Refs that it moved and that this loop made in an earlier iteration: as much its own as one that it makes now. */
export async function findMadeRefs(scene: Scene): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  for (const { ref } of findMovedRefs(scene))
    if (!isStoodOn(scene.before, ref) && (await isMade(scene.place.repo, scene.iteration, ref))) made.add(ref);
  return made;
}

/** Who works on it by now has made it theirs. */
function isStoodOn({ head, worktrees, own }: Fingerprint, ref: string): boolean {
  const heads = Object.entries(worktrees).flatMap(([dir, one]) => (dir === own?.adminDir ? [] : [one.head]));
  return [head, ...heads].some((text) => text.trim() === `ref: ${ref}`);
}

async function isMade(repo: Repository, { loop, n }: Iteration, ref: string): Promise<boolean> {
  for (let earlier = n - 1; earlier > 0; earlier -= 1) {
    const dir = runFolder(repo, loop, earlier);
    const print = readFingerprint(dir);
    if (print === null) return false;
    // It was there all the time since.
    if (print.refs[ref] === undefined)
      return (await readTrace(dir)).some((command) => makes(command, ref) && isThen(repo, command, ref));
  }
  return false;
}

/** Somebody may have made it again, under the same name. Of tags, and of what is gone, git tells nothing. */
function isThen({ commonDir }: Repository, command: GitCommand, ref: string): boolean {
  const [first] = readReflog(commonDir, ref);
  if (first === undefined || !/^0+$/.test(first.from) || command.isDated === true) return true;
  return isDuringSecond(command, first.atSeconds);
}
