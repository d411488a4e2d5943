import type { ScratchRepo } from '../../world/scratch.ts';
import type { Scene } from './scene.ts';

/** What the gates would say of a commit's exact tree if they never lied. */
export function createJudge({ repo, pairs }: Scene): (commit: string) => boolean {
  const known = new Map<string, boolean>();
  return (commit) => {
    const tree = commit.length === 40 ? repo.git('rev-parse', `${commit}^{tree}`) : commit;
    const before = known.get(tree);
    if (before !== undefined) return before;
    const words = wordsOf(repo, tree);
    const green = !pairs.some(({ first, second, mend }) => words.has(first) && words.has(second) && !words.has(mend));
    known.set(tree, green);
    return green;
  };
}

export const wordsOf = (repo: ScratchRepo, tree: string): ReadonlySet<string> =>
  new Set(repo.git('grep', '-h', '-E', '^[a-z0-9]+$', tree, '--', 'new').split('\n'));

export function isAncestor(repo: ScratchRepo, older: string, newer: string): boolean {
  return repo.git('rev-list', '--count', '--max-count=1', older, `^${newer}`) === '0';
}
