import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { withoutOurTrailers } from '../../../text/commit-message.ts';
import { commitTree } from '../objects/commit.ts';
import { unsigned } from '../run/identity.ts';
import type { Identity } from '../run/identity.ts';
import { mergeInMemory } from './merge.ts';
import { treeOf } from '../objects/trees.ts';
import type { GitView } from '../run/view.ts';

/** One commit of a branch, made again on another base. */
export interface Replayed {
  readonly tree: Sha;
  readonly message: string;
  readonly author: Identity;
  readonly authorDateMs: number;
}

const COMMITS_MAX = 500;

/**
 * The commits of `head` that `base` lacks, one after the other on top of it, in memory, under the attributes committed in
 * `under`. Null: one does not apply, or there are too many.
 */
export async function replayInMemory(
  view: GitView,
  base: Sha,
  head: Sha,
  under: Sha,
  committer: Identity,
): Promise<readonly Replayed[] | null> {
  const listed = await view.run([
    'rev-list',
    '--reverse',
    '--topo-order',
    '--no-merges',
    '--parents',
    `--max-count=${COMMITS_MAX + 1}`,
    `${base}..${head}`,
    '--',
  ]);
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  if (lines.length > COMMITS_MAX) return null;
  const done: Replayed[] = [];
  let tree = await treeOf(view, base);
  for (const line of lines) {
    const [commit = '', parent] = line.split(' ');
    if (parent === undefined) return null;
    // Seen from a copy of its parent that holds our tree, the commit differs by exactly its own change.
    const ours = await commitTree(view, {
      tree,
      parents: [sha(parent)],
      message: 'replay',
      identity: unsigned(committer),
    });
    const merged = await mergeInMemory(view, ours, sha(commit), under);
    if (!merged.clean) return null;
    if (merged.tree === tree) continue;
    tree = merged.tree;
    done.push({ tree, ...(await describe(view, commit)) });
  }
  return done;
}

async function describe(view: GitView, commit: string): Promise<Omit<Replayed, 'tree'>> {
  const shown = await view.run(['show', '-s', '--format=%an%x00%ae%x00%at%x00%B', commit, '--']);
  const [name = '', email = '', seconds = '0', message = ''] = shown.stdout.split('\0');
  return {
    message: `${withoutOurTrailers(message).trimEnd()}\n`,
    author: { name, email },
    authorDateMs: Number(seconds) * 1000,
  };
}
