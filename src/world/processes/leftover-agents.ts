import { ownIdentity } from './identity.ts';
import { readIfThere } from '../os/read-if-there.ts';
import { standsIn, findAllMarked } from './find-processes.ts';
import { stopTree } from './stop-tree.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { ProcessIdentity } from './identity.ts';
import type { MarkedProcess } from './find-processes.ts';

const GRACE_MS = 3000;

/**
 * Ends what still works in the worktree of a loop that no log knows: nobody could read how it ends. False: somebody began
 * to work there after this process did, so it is not a leftover.
 */
export async function stopLeftoverAgents(loop: LoopId, worktree: string, since = ownIdentity()): Promise<boolean> {
  const here = markedIn(worktree).filter((one) => one.loop === loop || process.platform === 'linux');
  const old = new Set(here.filter(({ identity }) => isOlder(identity, since)).map((one) => one.token));
  // Young children of an old agent carry its token.
  if (here.some(({ token }) => !old.has(token))) return false;
  for (const token of old) await stopTree({ identity: null, token, graceMs: GRACE_MS });
  return true;
}

/**
 * Processes with a mark of ours that stand in a worktree or were told that it is theirs. The loop id alone does not tell:
 * another clone may have the same. Where a process cannot be asked, every marked one counts.
 */
export function markedIn(worktree: string): readonly MarkedProcess[] {
  const marked = findAllMarked();
  if (process.platform !== 'linux') return marked;
  return marked.filter(({ identity: { pid } }) => {
    if (standsIn(pid, worktree)) return true;
    const environment = readIfThere(`/proc/${pid}/environ`)?.toString('utf8') ?? '';
    return `\0${environment}\0`.includes(`\0RALPH_WORKTREE=${worktree}\0`);
  });
}

/** Whatever was started before this process and is not in the log it read is in no log at all. */
function isOlder(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const at = ({ startTime }: ProcessIdentity): number =>
    /^\d+$/.test(startTime) ? Number(startTime) : Date.parse(startTime);
  return at(one) <= at(other);
}
