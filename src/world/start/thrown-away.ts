import type { Sha } from '../../core/model/ids.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { readRef } from '../git/refs/refs.ts';
import type { GitView } from '../git/run/view.ts';

/** How many commits stand on a branch since a loop began there that are not on the target yet; 0 where they were taken out. */
export async function countSince(
  view: GitView,
  { branch, target, base }: { readonly branch: string; readonly target: string; readonly base: Sha },
): Promise<number> {
  const tip = await readRef(view, `refs/heads/${branch}`);
  if (tip === null || !(await isAncestor(view, base, tip))) return 0;
  const landed = await readRef(view, `refs/heads/${target}`);
  const without = [base, ...(landed === null ? [] : [landed])].map((commit) => `^${commit}`);
  const { stdout } = await view.run(['rev-list', '--count', tip, ...without]);
  return Number(stdout.trim());
}
