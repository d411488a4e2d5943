import { resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { leakedFiles, showCommand } from '../../../world/seal/keep-leaks.ts';
import { listKeeps } from '../../../world/keep/list-keeps.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { makeBranch, wholeCommit, inTheWay, restoreWorktree } from '../../../world/keep/restore-worktree.ts';
import { filesText, findKeep } from '../show/keep-view.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import type { Call, Handler } from '../../call/handler.ts';

const FILES_TOLD = 20;

/** A new branch, and a new worktree where one is wished for. Nothing that exists is touched. */
interface Restored {
  readonly id: string;
  readonly branch: string;
  readonly commit: string;
  readonly path: string | null;
  readonly files: number;
}

export const handle: Handler<Restored> = async (call) => {
  refuseInLoop(call, 'keep restore');
  const { repo, config } = await openProject(call);
  const place = await openKeep(repo, config.settings);
  const keep = findKeep(await listKeeps(place.view), call.args[0] ?? '');
  const leaked = await leakedFiles(place.view, keep);
  if (leaked !== null)
    throw new AppError(
      'E_NEEDS_PERSON',
      `${keep.id} is no work of a branch: ${keep.act === 'in-place' ? 'files that git ignores' : 'files that were written outside a worktree'}`,
      {
        facts: [...leaked.slice(0, FILES_TOLD), ...(leaked.length > FILES_TOLD ? ['and more'] : [])],
        remedy: showCommand(keep, leaked[0] ?? ''),
      },
    );
  const path = worktreeOf(call);
  const taken = path === null ? null : inTheWay(place, path, null);
  if (taken !== null)
    throw new AppError('E_NEEDS_PERSON', `no worktree can be made: ${taken}`, {
      remedy: `ralph keep restore ${shellWord(keep.id)} --worktree ../another-folder`,
    });
  // In a worktree of its own what was uncommitted stays so.
  const commit = path === null || keep.head === null ? await wholeCommit(place, keep) : keep.head;
  const wanted = typeof call.flags['branch'] === 'string' ? call.flags['branch'] : null;
  const branch = await makeBranch(place.view, keep, wanted, commit);
  if (path !== null) await restoreWorktree(place, keep, { path, branch, lock: null, head: commit });
  call.out.say(`restored ${keep.id} as branch ${branch} at ${commit.slice(0, 12)}: ${filesText(keep.files)}`);
  if (path !== null) call.out.say(`  in ${path}, staged and unstaged as it was`);
  else if (keep.files > 0) call.out.say('  what was uncommitted is its last commit');
  call.out.say(path === null ? `next: git switch ${shellWord(branch)}` : `next: git -C ${shellWord(path)} status`);
  return { data: { id: keep.id, branch, commit, path, files: keep.files } };
};

function worktreeOf({ flags, cwd }: Call): string | null {
  const wanted = flags['worktree'];
  if (typeof wanted !== 'string') return null;
  if (wanted.trim() === '' || wanted.includes('\0'))
    throw new AppError('E_USAGE', '--worktree needs a folder', { remedy: 'ralph keep restore --help' });
  return resolve(cwd, wanted);
}
