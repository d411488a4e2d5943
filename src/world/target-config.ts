import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './git/run/repository.ts';
import { ifThere } from './os/read-if-there.ts';
import { branchIn } from './trackers/target-place.ts';
import type { TargetPlace } from './trackers/target-place.ts';

export const CONFIG_NAME = 'ralph.toml';

/** The target's configuration file, where the main checkout does not stand on the target. */
export type TargetConfig =
  /** As it is in the checkout that stands on the target, or one that git does not know yet. */
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'commit'; readonly text: string }
  /** Only the branch somebody stands on has one; null: no branch. */
  | { readonly kind: 'elsewhere'; readonly branch: string | null }
  | { readonly kind: 'none' };

export async function findTargetConfig(repo: Repository, target: TargetPlace): Promise<TargetConfig> {
  const { isTracked, openTargetTree } = await import('./trackers/target-tree.ts');
  if (target.checkout !== null) {
    if (isThere(target.checkout)) return { kind: 'file', file: join(target.checkout, CONFIG_NAME) };
  } else {
    const text = await openTargetTree(repo).textAt(target.head, CONFIG_NAME);
    if (text !== null) return { kind: 'commit', text };
  }
  const { root, worktree } = repo;
  if (isThere(worktree) && worktree !== target.checkout && (await isTracked(worktree, CONFIG_NAME))) {
    const branch = branchIn(repo, worktree);
    // What a loop makes of the file is no setting before it lands.
    if (branch?.startsWith('ralph/') !== true) return { kind: 'elsewhere', branch };
  }
  // One that git does not know belongs to no branch.
  const isLoose = root !== target.checkout && isThere(root) && !(await isTracked(root, CONFIG_NAME));
  return isLoose ? { kind: 'file', file: join(root, CONFIG_NAME) } : { kind: 'none' };
}

const isThere = (folder: string): boolean =>
  ifThere(() => lstatSync(join(folder, CONFIG_NAME), { throwIfNoEntry: false })) !== undefined;
