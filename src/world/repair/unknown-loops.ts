import type { State } from '../../core/model/model.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { notedWorktrees } from '../worktrees/loop-notes.ts';
import type { NotedWorktree } from '../worktrees/loop-notes.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'loops';

/** Worktrees whose note tells of a loop that the log does not know, and whose branch is still there. */
export function unknownLoops({ repo }: RepairPlace, state: State): readonly NotedWorktree[] {
  return notedWorktrees(repo).filter(
    ({ note }) => state.loops[note.loop] == null && readRefFile(repo.commonDir, `refs/heads/${note.branch}`) != null,
  );
}

/** They are taken up by whoever writes into the log next on purpose: a run that finds it empty, or `ralph doctor --fix`. */
export function unknownLoopsRepair(place: RepairPlace, state: State): Repair {
  return {
    check: CHECK,
    look: async () =>
      unknownLoops(place, state).map(({ path, note }) =>
        fixable(CHECK, `the log does not know loop ${note.loop}, whose work is on ${note.branch} in ${path}`),
      ),
    fix: async () => [],
  };
}
