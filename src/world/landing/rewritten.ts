import type { Sha } from '../../core/model/ids.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { pastValues } from '../git/refs/past-values.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

/** How the user's branch and integration came apart. */
export type Parting =
  /** The branch once held all of integration, and no longer does: its owner took that back. */
  | { readonly kind: 'taken-back' }
  /** The furthest value of the branch that integration holds; null: its past is not known. */
  | { readonly kind: 'apart'; readonly since: Sha | null };

/** Asks the branch's own reflog. */
export async function howParted(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  target: string,
  integration: Sha,
): Promise<Parting> {
  let since: Sha | null = null;
  for (const value of pastValues(repo, target)) {
    try {
      if (await isAncestor(view, integration, value)) return { kind: 'taken-back' };
      if (!(await isAncestor(view, value, integration))) continue;
      if (since === null || (await isAncestor(view, since, value))) since = value;
    } catch {
      // Collected as garbage since: older ones will be as well.
      break;
    }
  }
  return { kind: 'apart', since };
}
