import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../../core/ids.ts';
import type { Sha } from '../../core/ids.ts';
import type { ThrowawayObjects } from './throwaway-objects.ts';
import type { GitView } from './view.ts';

/** A commit without an author or a time of its own: the same tree on the same parents is always the same commit. */
export interface PlainCommit {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
}

/** Later than any other, so that git never takes one of these for an ancestor. */
const WHO = 'paralph <paralph@localhost> 4102444800 +0000';

/** The id it will have once it is written. */
export function plainCommitId(commit: PlainCommit): Sha {
  const text = textOf(commit);
  const algorithm = commit.tree.length === 64 ? 'sha256' : 'sha1';
  return sha(
    createHash(algorithm)
      .update(`commit ${Buffer.byteLength(text)}\0${text}`)
      .digest('hex'),
  );
}

/** All of them by one process. */
export async function writePlainCommits(
  view: GitView,
  commits: readonly PlainCommit[],
  objects: ThrowawayObjects,
): Promise<readonly Sha[]> {
  if (commits.length === 0) return [];
  const files = commits.map((commit) => {
    const file = join(objects.folder, `commit-${randomUUID()}`);
    writeFileSync(file, textOf(commit));
    return file;
  });
  const { stdout } = await view.run(['hash-object', '-t', 'commit', '-w', '--no-filters', '--stdin-paths'], {
    input: files.map((file) => `${file}\n`).join(''),
    env: objects.env,
  });
  return stdout.trim().split('\n').map(sha);
}

const textOf = ({ tree, parents }: PlainCommit): string =>
  [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${WHO}`, `committer ${WHO}`, '', ''].join(
    '\n',
  );
