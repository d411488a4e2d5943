import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { KeepNews, Keeps } from '../../core/model/keeps.ts';
import { commitsThere, notWithin } from '../git/objects/history.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { landRef } from '../git/refs/refs.ts';
import { refValuesBelow } from '../git/refs/update-refs.ts';
import type { GitView } from '../git/run/view.ts';
import { mainHeads } from './expire.ts';
import { KEPT, nameKept } from './list-keeps.ts';

/** More than anybody has. What is beyond is kept too; only nobody notices where somebody else deletes it. */
const LISTED_MAX = 20_000;
/** Files that git ignores are kept around an iteration in place, and let go of when all of them are there again. */
const PASSING = /-ignored[/-][0-9a-f]{12}$/;

/**
 * The refs that keep work, beside what the log has of them. What is gone and nobody let go of is put back where it was, by
 * compare-and-swap, as long as git has its commit: `git gc` collects what is older than two weeks once no ref names it.
 */
export async function lookAtKeeps(view: GitView, listed: Keeps): Promise<KeepNews> {
  const there = refValuesBelow(view, KEPT);
  const room = LISTED_MAX - Object.keys(listed).length;
  const isNew = ([ref, commit]: readonly [string, Sha]): boolean => listed[ref] !== commit && !PASSING.test(ref);
  const made = Object.fromEntries([...there].filter(isNew).slice(0, Math.max(0, room)));
  const missing = Object.entries(listed).filter(([ref, commit]) => there.get(ref) !== commit);
  if (missing.length === 0) return { made, dropped: [], putBack: [], lost: [] };
  return { made, ...(await putBackKeeps(view, missing, [...there.values()])) };
}

async function putBackKeeps(
  view: GitView,
  missing: readonly (readonly [string, Sha])[],
  kept: readonly Sha[],
): Promise<Omit<KeepNews, 'made'>> {
  const commits = missing.map(([, commit]) => commit);
  const present = await commitsThere(view, commits);
  const safe = [...(await mainHeads(view)), ...kept];
  // What is on main, or in another keep, is let go of where a landing is over.
  const needed = await notWithin(
    view,
    commits.filter((commit) => present.has(commit)),
    safe,
  );
  const news = { dropped: [] as string[], putBack: [] as string[], lost: [] as string[] };
  for (const [ref, commit] of missing) {
    if (!present.has(commit)) news.lost.push(ref);
    else if (!needed.has(commit)) news.dropped.push(ref);
    else if (await putBackKeep(view, ref, commit)) news.putBack.push(ref);
  }
  return news;
}

/** Where something else has the name by now, the commit gets another one, and the log hears of that with the next look. */
async function putBackKeep(view: GitView, ref: string, commit: Sha): Promise<boolean> {
  const reason = 'paralph: put back from the log';
  const now = readRefFile(view.refsDir, ref);
  try {
    if (now === null && (await landRef(view, ref, commit, null, reason)).moved) return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
  }
  if (readRefFile(view.refsDir, ref) === commit) return false;
  await nameKept(view, { name: 'put-back', commit, reason, durable: true });
  return true;
}
