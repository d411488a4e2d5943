import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lookUpRef } from '../git/refs/look-up-ref.ts';
import { mergeBases, forkOfAll, isAncestor } from '../git/merge/merge.ts';
import { plainView } from '../git/run/view.ts';
import { followedBy } from '../git/refs/remote.ts';
import { findAllLandings } from '../git/objects/history.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { leadsOut } from '../trackers/task-text.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import { readFileAt } from '../git/objects/trees.ts';
import type { TaskId, Sha } from '../../core/model/ids.ts';
import type { UpstreamTasks } from '../../core/model/task.ts';
import type { Followed } from '../git/refs/remote.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { FoundLanding, Integration } from '../contract/world.ts';

interface UpstreamPlace {
  readonly repo: Repository;
  readonly env: NodeJS.ProcessEnv;
  readonly target: string;
  /** The task file. */
  readonly path: string;
}

/** What is done on the remote branch that the target follows, as far as it was fetched. Asks git only when a ref has moved. */
export function openUpstreamTasks(place: UpstreamPlace): () => Promise<UpstreamTasks | null> {
  const { repo, env, target } = place;
  const view = plainView(repo);
  let followed: Followed | null | undefined;
  let seen = { mark: '', found: null as UpstreamTasks | null };
  return async () => {
    if (followed === undefined && !hasRemotes(repo)) return null;
    if (followed === undefined) followed = await followedBy({ repo, env }, target);
    if (followed === null) return null;
    const theirs = await lookUpRef(repo, followed.tracking);
    const ours = await lookUpRef(repo, `refs/heads/${target}`);
    const mark = `${theirs ?? ''} ${ours ?? ''}`;
    if (mark === seen.mark) return seen.found;
    const done =
      theirs === null || ours === null || theirs === ours ? [] : await doneThere(view, place, { theirs, ours });
    seen = { mark, found: { name: followed.tracking.slice('refs/remotes/'.length), done } };
    return seen.found;
  };
}

/** Most repositories without a remote need no git to say so. */
const hasRemotes = ({ commonDir }: Repository): boolean =>
  existsSync(join(commonDir, 'refs/remotes')) || textIfThere(join(commonDir, 'packed-refs')).includes(' refs/remotes/');

type Sides = Readonly<Record<'theirs' | 'ours', NonNullable<Awaited<ReturnType<typeof lookUpRef>>>>>;

/** By ticks and by landings in commits that only they have. */
async function doneThere(view: GitView, { path }: UpstreamPlace, { theirs, ours }: Sides): Promise<readonly TaskId[]> {
  const [parted] = await mergeBases(view, theirs, ours);
  if (parted === undefined || parted === theirs) return [];
  const before = leadsOut(path) ? new Set<TaskId>() : await doneAt(view, parted, path);
  const ticked = leadsOut(path) ? [] : [...(await doneAt(view, theirs, path))];
  const landings = await findAllLandings(view, theirs, [ours]);
  const landed = landings.flatMap(({ task, tracker }) => (tracker === path ? [task] : []));
  return [...new Set([...ticked, ...landed])].filter((id) => !before.has(id)).sort();
}

type Asked = Parameters<Integration['doneSince']>[0];
type Answer = Awaited<ReturnType<Integration['doneSince']>>[number];

/**
 * By a landing of another clone that was merged in, or by a tick. What was ticked before was to be done once more. Landings are
 * listed once, from where all began; only where that names a task is it asked whether it was since.
 */
export async function doneSince(view: GitView, asked: Asked): ReturnType<Integration['doneSince']> {
  const { to, known, tasks, own, isOurs } = asked;
  if (tasks.length === 0 || (known !== null && (await isAncestor(view, to, known)))) return tasks.map(() => null);
  const began = await forkOfAll(
    view,
    tasks.map(({ from }) => from),
  );
  const landings = await findAllLandings(view, to, [...began, ...own]);
  const ticked = new Map<string, ReadonlySet<TaskId>>();
  const answers: Answer[] = [];
  for (const { from, tracker, task } of tasks) {
    const isSame = (one: FoundLanding): boolean => one.task === task && one.tracker === tracker && !isOurs(one.loop);
    const since = landings.some(isSame) ? await findAllLandings(view, to, [from, ...own]) : [];
    const landing = since.findLast(isSame);
    const done = ticked.get(tracker) ?? (await doneAt(view, to, tracker));
    ticked.set(tracker, done);
    const isTicked = landing === undefined && done.has(task) && !(await doneAt(view, from, tracker)).has(task);
    answers.push(landing === undefined && !isTicked ? null : { commit: landing?.commit ?? null });
  }
  return answers;
}

/** Tasks that are done in a commit's version of a task file. */
async function doneAt(view: GitView, commit: Sha, path: string): Promise<ReadonlySet<TaskId>> {
  const text = await readFileAt(view, commit, path);
  const { tasks } = parseTracker(trackerKindOf(path) ?? 'markdown', text ?? '');
  return new Set(tasks.flatMap((task) => (task.status === 'done' ? [task.id] : [])));
}
