import { readlinkSync } from 'node:fs';
import { sep } from 'node:path';
import type { LoopId } from '../../core/ids.ts';
import { ownIdentity } from '../processes/identity.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { readIfThere } from '../processes/read-if-there.ts';
import { stopTree } from '../processes/stop-tree.ts';
import { findAllMarked } from '../processes/sweep.ts';
import type { MarkedProcess } from '../processes/sweep.ts';

const GRACE_MS = 3000;

/**
 * Ends what still works in the worktree of a loop that no log knows: nobody could read how it ends. False: somebody began
 * to work there after this process did, so it is not a leftover.
 */
export async function stopLeftoverAgents(loop: LoopId, worktree: string, since = ownIdentity()): Promise<boolean> {
  const here = findAllMarked().filter((one) => isOf(one, loop, worktree));
  const old = new Set(here.filter(({ identity }) => isOlder(identity, since)).map((one) => one.token));
  // Young children of an old agent carry its token.
  if (here.some(({ token }) => !old.has(token))) return false;
  for (const token of old) await stopTree({ identity: null, token, graceMs: GRACE_MS });
  return true;
}

/** The same loop id may exist in another clone: an agent of ours was told this very worktree, or stands in it. */
function isOf({ identity, loop }: MarkedProcess, wanted: LoopId, worktree: string): boolean {
  if (process.platform !== 'linux') return loop === wanted;
  if (isBelow(folderOf(identity.pid), worktree)) return true;
  const environment = readIfThere(`/proc/${identity.pid}/environ`)?.toString('utf8') ?? '';
  return loop === wanted && `\0${environment}\0`.includes(`\0RALPH_WORKTREE=${worktree}\0`);
}

const isBelow = (path: string | null, folder: string): boolean =>
  path !== null && (path === folder || path.startsWith(folder + sep));

function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Whatever was started before this process and is not in the log it read is in no log at all. */
function isOlder(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const at = ({ startTime }: ProcessIdentity): number =>
    /^\d+$/.test(startTime) ? Number(startTime) : Date.parse(startTime);
  return at(one) <= at(other);
}
