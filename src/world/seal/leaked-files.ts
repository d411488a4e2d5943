import { shellWord } from '../../core/model/shell-word.ts';
import type { GitView } from '../git/run/view.ts';
import type { Keep } from '../keep/list-keeps.ts';

/** How the commit of files that were written outside a worktree is told from commits that an agent made elsewhere. */
export const leakMessage = (loop: string): string => `Files that ${loop} wrote outside its worktree\n`;

/** Files that are no work of a branch: what an agent wrote outside its worktree, by names that say where, or what git ignores in a checkout; null: the keep is of something else. */
export async function leakedFiles(view: GitView, keep: Keep): Promise<readonly string[] | null> {
  if (keep.act === 'in-place') return namesIn(view, keep);
  if (keep.act !== 'leak' || keep.head === null || keep.loop === null) return null;
  const said = await view.run(['log', '--no-show-signature', '-1', '--format=%P%x00%B', keep.head, '--']);
  const [parents, message = ''] = said.stdout.split('\0');
  if (parents !== '' || message.trim() !== leakMessage(keep.loop).trim()) return null;
  return namesIn(view, keep);
}

async function namesIn(view: GitView, { tree }: Keep): Promise<readonly string[]> {
  const { stdout } = await view.run(['ls-tree', '-r', '-z', '--name-only', tree]);
  return stdout.split('\0').filter((name) => name !== '');
}

/** Prints one of them: where it was, something else may be by now. */
export const showCommand = ({ ref }: Keep, name: string): string => `git show ${shellWord(`${ref}:${name}`)}`;
