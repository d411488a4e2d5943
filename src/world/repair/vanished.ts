import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../../core/model/model.ts';
import { isLive, loopsOf } from '../../core/model/model.ts';
import { gateSlotOf } from '../gates/gate-worktree.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { begunRemoval } from '../worktrees/removals.ts';
import { gitDirs, realpathLoose, worktreeOf } from '../git/files/worktree-admin.ts';
import { carriesOurLock } from '../worktrees/loop-notes.ts';
import { listPool } from '../worktrees/worktree-pool.ts';
import { isOurPlace, removeWorktree } from '../worktrees/worktrees.ts';
import { keepCommit } from '../keep/keep.ts';
import type { KeepPlace } from '../keep/keep.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';
import { unknownLoops } from './unknown-loops.ts';

const CHECK = 'folders';

/** Worktrees of ours whose folder somebody deleted. A loop that still works may get its folder back, so its entry stays. */
export function vanishedRepair(place: RepairPlace, state: State, keep: () => Promise<KeepPlace>): Repair {
  const { repo, worktreeRoot } = place;
  const inUse = (): ReadonlySet<string> =>
    new Set(
      loopsOf(state).flatMap((loop) => (isLive(loop) && loop.worktree !== null ? [realpathLoose(loop.worktree)] : [])),
    );
  const entries = (): readonly { readonly adminDir: string; readonly path: string }[] => {
    const used = inUse();
    // The note may be all that tells of a loop which the log has lost.
    const needed = new Set(unknownLoops(place, state).map(({ adminDir }) => adminDir));
    return gitDirs(repo)
      .filter((dir) => dir !== repo.commonDir && carriesOurLock(dir))
      .flatMap((adminDir) => {
        const path = worktreeOf(adminDir);
        const isGone = path !== null && isOurPlace(repo, worktreeRoot, path) && !existsSync(path) && !used.has(path);
        if (path !== null && begunRemoval(repo, path) !== null) return [];
        return isGone && !needed.has(adminDir) ? [{ adminDir, path }] : [];
      });
  };
  const pooled = (): readonly { readonly path: string; readonly name: string }[] =>
    listPool(repo).filter(({ path }) => !existsSync(path));
  return {
    check: CHECK,
    look: async () => [
      ...entries().map(({ path }) => fixable(CHECK, `the worktree ${path} was deleted, but git still lists it`)),
      ...pooled().map(({ path }) => fixable(CHECK, `the retired worktree ${path} was deleted`)),
    ],
    fix: async () => {
      const done: string[] = [];
      for (const { name, path } of pooled()) {
        rmSync(join(repo.stateDir, 'pool', `${name}.json`), { force: true });
        done.push(`took the deleted worktree ${path} out of the pool`);
      }
      for (const { adminDir, path } of entries()) {
        const kept = await keepHead(await keep(), adminDir, path);
        await removeWorktree(repo, { path, worktreeRoot });
        done.push(
          `removed git's entry of the deleted worktree ${path}${kept === null ? '' : `; its commit is kept as ${kept}`}`,
        );
      }
      return done;
    },
  };
}

/** HEAD may be the only name of a commit that an agent made beside its branch. */
async function keepHead(place: KeepPlace, adminDir: string, path: string): Promise<string | null> {
  const head = readHeadFile(place.repo.commonDir, adminDir);
  if (head?.commit == null || head.branch !== null) return null;
  const { stdout } = await place.view.run(['for-each-ref', '--count=1', `--contains=${head.commit}`]);
  // What stood in a worktree for gates is somebody's candidate, made of what is kept elsewhere.
  if (stdout !== '' || gateSlotOf(path) !== null) return null;
  const { ref } = await keepCommit(place, {
    commit: head.commit,
    name: 'repair',
    act: 'repair',
    why: `the folder ${path} was deleted`,
  });
  return ref;
}
