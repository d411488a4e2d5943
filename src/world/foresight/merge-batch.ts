import { sha } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GitView, ViewOptions } from '../git/run/view.ts';

export interface BatchMerge {
  readonly tree: Sha;
  /** Bytes as latin1; empty: it merges. */
  readonly conflicts: readonly string[];
}

/**
 * Merges many pairs of commits in one process. Null: this pair cannot be merged at all (a commit is gone, or they have no
 * common ancestor). git answers nothing before its input ends and stops at the first such pair, so the rest is asked again.
 */
export async function mergeBatch(
  view: GitView,
  pairs: readonly (readonly [Sha, Sha])[],
  options: Pick<ViewOptions, 'workTree' | 'env'>,
): Promise<readonly (BatchMerge | null)[]> {
  const merges: (BatchMerge | null)[] = [];
  while (merges.length < pairs.length) {
    const asked = pairs.slice(merges.length);
    const args = ['merge-tree', '--write-tree', '--stdin', '-z', '--name-only', '--no-messages'];
    const input = asked.map((pair) => `${pair.join(' ')}\n`).join('');
    const { stdout } = await view.bytes(args, { ...options, input, ok: [0, 1, 128] });
    const answers = readAnswers(stdout.toString('latin1'));
    merges.push(...answers.slice(0, asked.length));
    if (answers.length < asked.length) merges.push(null);
  }
  return merges;
}

/** Each is a flag, the tree, the paths that conflict, and an empty field. */
function readAnswers(output: string): readonly BatchMerge[] {
  const fields = output.split('\0');
  const answers: BatchMerge[] = [];
  for (let at = 0; at < fields.length;) {
    const end = fields.indexOf('', at);
    const [flag, tree, ...paths] = fields.slice(at, end);
    if (end === -1 || tree === undefined) break;
    // What conflicts without naming a path (git says that can be) is told by its flag alone.
    const conflicts = flag === '1' ? [] : [...new Set(paths.length === 0 ? ['.'] : paths)];
    answers.push({ tree: sha(tree), conflicts });
    at = end + 1;
  }
  return answers;
}
