import { mergeBases } from '../git/merge/merge.ts';
import { plainView } from '../git/run/view.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { readFileAt, readTree } from '../git/objects/trees.ts';
import { mergeTrackers } from '../git/merge/merge-text.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { TrackerVersions } from '../../text/trackers/merge-tracker.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Entry } from '../git/objects/trees.ts';

/** What commits have, for whom the files of a checkout do not tell. Loaded only then. */
export interface TargetTree {
  /** A plain file's text; null: none. */
  readonly textAt: (commit: Sha, path: string) => Promise<string | null>;
  readonly has: (commit: Sha, path: string) => Promise<boolean>;
  /** Where two histories parted; null: they never met. */
  readonly parting: (a: Sha, b: Sha) => Promise<Sha | null>;
  /** Two versions of a task file in one; null: somebody has to choose. */
  readonly merge: (path: string, versions: TrackerVersions) => Promise<string | null>;
}

const ANSWERS_MAX = 64;

/** What is named by a commit never changes: asked once. */
export function openTargetTree(repo: Repository): TargetTree {
  const view = plainView(repo);
  const texts = new Map<string, Promise<string | null>>();
  const trees = new Map<string, Promise<readonly Entry[]>>();
  const once = <T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> => {
    const answer = known.get(key) ?? ask();
    if (known.size >= ANSWERS_MAX) known.clear();
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
  return {
    textAt: (commit, path) => once(texts, `${commit}:${path}`, () => readFileAt(view, commit, path)),
    has: async (commit, path) => {
      let at: string | undefined = commit;
      for (const part of path.split('/')) {
        const tree: string | undefined = at;
        const name = Buffer.from(part, 'utf8').toString('latin1');
        const entries: readonly Entry[] = tree === undefined ? [] : await once(trees, tree, () => readTree(view, tree));
        at = entries.find((entry) => entry.name === name)?.id;
      }
      return at !== undefined;
    },
    parting: async (a, b) => (await mergeBases(view, a, b))[0] ?? null,
    merge: (path, versions) => mergeTrackers(view, path, versions),
  };
}

/** Whether git knows the file there, committed or staged. */
export async function isTracked(checkout: string, path: string): Promise<boolean> {
  const args = [...HARDENED, '--literal-pathspecs', 'ls-files', '-z', '--cached', '--', path];
  return (await runGit(args, { cwd: checkout })).stdout !== '';
}
