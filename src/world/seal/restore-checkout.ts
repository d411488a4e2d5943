import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { Checkout } from './checkout.ts';
import type { Fingerprint } from './fingerprint.ts';
import { isSameFile, lookAtFile } from './git-files.ts';
import type { Scene } from './scene.ts';

/** Files that can make git run something when it writes files. */
const RUNS_FILTERS = ['config', 'config.worktree', 'info/attributes'];

/** Nothing was edited or staged: all there was is in the commit. */
const isPristine = (checkout: Checkout | null): boolean =>
  checkout !== null &&
  checkout.isIndexHead &&
  !checkout.isCut &&
  !Object.values(checkout.dirty).some((state) => state.startsWith('M '));

/**
 * Brings the user's checkout from a leaked commit back to its own. Only if it held nothing but its commit before and holds nothing
 * but the leaked one now; git itself looks at every file once more, and new files stay. Null: a person has to.
 */
export function restoreCheckout(
  scene: Scene,
  { from, to, back, said }: { from: Sha; to: Sha; back: () => Promise<boolean>; said: string },
): (() => Promise<string | null>) | null {
  if (!isPristine(scene.before.checkout) || !isPristine(scene.after.checkout)) return null;
  return async () => {
    if (!isConfigKept(scene) || !(await readTree(scene, from, to))) return null;
    if (await back()) return said;
    await readTree(scene, to, from);
    return null;
  };
}

/** Index and files go from one commit to another; false: something local is in the way, and nothing was changed. */
async function readTree({ place }: Scene, from: Sha, to: Sha): Promise<boolean> {
  const args = [...HARDENED, 'read-tree', '-m', '-u', from, to];
  return (await runGit(args, { cwd: place.repo.root, ok: [0, 1, 128] })).code === 0;
}

interface ConfigBefore {
  readonly place: { readonly repo: Repository };
  readonly before: Pick<Fingerprint, 'files'>;
}

/** What the agent changed there has been put back, so that no filter of its making runs. */
export function isConfigKept({ place, before }: ConfigBefore): boolean {
  return RUNS_FILTERS.every((name) => isSameFile(before.files[name], lookAtFile(join(place.repo.commonDir, name))));
}
