import type { Repository } from '../git/run/repository.ts';
import { runFolder } from '../git/run/state-places.ts';
import type { Iteration } from '../contract/world.ts';
import { readFingerprint } from './fingerprint.ts';
import type { Fingerprint } from './fingerprint.ts';
import { isDuringSecond, readTrace } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { makes } from '../git/trace/ref-commands.ts';
import { readReflog } from '../git/trace/reflog.ts';
import { findMovedRefs } from './refs-moved.ts';
import type { Scene } from './scene.ts';

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
