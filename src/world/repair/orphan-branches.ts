import { loopId } from '../../core/model/ids.ts';
import { loopsOf } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { deleteRef, listRefs } from '../git/refs/refs.ts';
import { plainView } from '../git/run/view.ts';
import { isCheckedOut } from '../git/files/worktree-admin.ts';
import { findLandings } from '../git/objects/history.ts';
import { fixable, foreign } from './repair.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { State } from '../../core/model/model.ts';
import type { Finding } from '../contract/finding.ts';
import type { GitView } from '../git/run/view.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'branches';
const KEPT = 'refs/paralph/keep';
const PREFIX = 'ralph/';

interface Orphan {
  readonly branch: string;
  readonly tip: Sha;
  /** Everything on it is in integration, or landed from exactly here and is named by a ref of ours. */
  readonly isLanded: boolean;
}

/** Branches of ours (a keep ref says so) that no loop knows and no worktree stands on. Only what landed is removed. */
export function orphanBranchesRepair({ repo }: RepairPlace, state: State, openView: () => Promise<GitView>): Repair {
  // A look must not even make the folder of our own view.
  const view = plainView(repo);
  const orphans = async (): Promise<readonly Orphan[]> => {
    const kept = await listRefs(view, KEPT);
    if (kept.size === 0) return [];
    // A loop that is on another branch than its name says has found that one to be somebody else's.
    const known = new Set(loopsOf(state).flatMap((loop) => [loop.branch, `${PREFIX}${loop.id}`]));
    const found: Orphan[] = [];
    for (const [ref, tip] of await listRefs(view, `refs/heads/${PREFIX}`)) {
      const branch = ref.slice('refs/heads/'.length);
      const loop = branch.slice(PREFIX.length);
      const keeps = [...kept].filter(([name]) => name.startsWith(`${KEPT}/${loop}/`) || name === `${KEPT}/${loop}`);
      if (keeps.length === 0 || known.has(branch) || isCheckedOut(repo, branch)) continue;
      found.push({
        branch,
        tip,
        isLanded: await isLanded(
          view,
          loop,
          tip,
          keeps.map(([, commit]) => commit),
        ),
      });
    }
    return found;
  };
  return {
    check: CHECK,
    look: async () => (await orphans()).map(tell),
    fix: async () => {
      const done: string[] = [];
      for (const { branch, tip } of (await orphans()).filter((one) => one.isLanded))
        if (await deleteRef(await openView(), `refs/heads/${branch}`, tip))
          done.push(`removed the branch ${branch}, which has landed; it was at ${tip}`);
      return done;
    },
  };
}

function tell({ branch, isLanded }: Orphan): Finding {
  if (isLanded) return fixable(CHECK, `the branch ${branch} has landed, and no loop knows it`);
  const message = `the branch ${branch} was made by paralph and has not landed, but no loop knows it`;
  return foreign(CHECK, 'warn', message, `git log --oneline ${shellWord(branch)}`);
}

async function isLanded(view: GitView, loop: string, tip: Sha, kept: readonly Sha[]): Promise<boolean> {
  for (const integration of (await listRefs(view, 'refs/paralph/int')).values()) {
    if (await isAncestor(view, tip, integration)) return true;
    const landed =
      kept.includes(tip) && (await findLandings(view, integration)).some((one) => one.loop === loopId(loop));
    if (landed) return true;
  }
  return false;
}
