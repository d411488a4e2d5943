import { AppError } from '../../../core/model/errors.ts';
import { type Sha, sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

/**
 * Which of the commits are in the history of none of the heads; asked all at once. One that git lacks is in nobody's, and as a
 * head it holds nothing: what vanished of one loop must not keep the others from an answer.
 */
export async function notWithin(
  view: GitView,
  commits: readonly Sha[],
  heads: readonly Sha[],
): Promise<ReadonlySet<Sha>> {
  const asked = [...new Set(commits)];
  if (asked.length === 0) return new Set();
  try {
    return await listOutside(view, asked, heads);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    return outsideOfWhatIsThere(view, asked, heads);
  }
}

async function listOutside(view: GitView, commits: readonly Sha[], heads: readonly Sha[]): Promise<ReadonlySet<Sha>> {
  const input = [...commits, ...heads.map((head) => `^${head}`)].map((line) => `${line}\n`).join('');
  const listed = new Set((await view.run(['rev-list', '--stdin'], { input })).stdout.split('\n'));
  return new Set(commits.filter((commit) => listed.has(commit)));
}

/** One by one: a history with a hole in it fails by itself, and counts as held by nobody. */
async function outsideOfWhatIsThere(
  view: GitView,
  commits: readonly Sha[],
  heads: readonly Sha[],
): Promise<ReadonlySet<Sha>> {
  const there = await commitsThere(view, [...commits, ...heads]);
  const held = heads.filter((head) => there.has(head));
  const outside = new Set<Sha>();
  for (const commit of commits) {
    const isOutside = async (): Promise<boolean> => (await listOutside(view, [commit], held)).has(commit);
    if (!there.has(commit) || (await isOutside().catch(() => true))) outside.add(commit);
  }
  return outside;
}

/** Those of the ids that are commits git has. */
export async function commitsThere(view: GitView, ids: readonly Sha[]): Promise<ReadonlySet<Sha>> {
  const input = ids.map((id) => `${id}\n`).join('');
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  return new Set(stdout.split('\n').flatMap((line) => (line.endsWith(' commit') ? sha(line.split(' ')[0] ?? '') : [])));
}
