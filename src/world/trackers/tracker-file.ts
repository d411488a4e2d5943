import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Task, UpstreamTasks } from '../../core/model/task.ts';
import { describeDifference } from '../../text/trackers/difference.ts';
import { isBeadsLines, trackerKindOf } from '../../text/trackers/tracker-names.ts';
import type { TrackerKind } from '../../text/trackers/tracker-names.ts';
import { parseBeadsLines } from '../../text/trackers/beads-lines.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import type { Repository } from '../git/run/repository.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { ifThere } from '../os/read-if-there.ts';
import { branchIn } from './target-place.ts';
import { leadsOut, markOf, openTaskText, readPlainFile } from './task-text.ts';
import type { Standing, TaskText } from './task-text.ts';
import { ticked, tickLoose } from './tick-loose.ts';
import type { Tracker } from '../contract/tracker.ts';

/** What was written in the same tick of the kernel in which it was looked at may be written once more without a trace. */
const TICK_MS = 50;
/** No git takes longer to write a checkout; a lock that is older was left behind. */
const SWITCH_MS = 60_000;

/** Opens the task list and keeps an eye on it, and on what is done of it upstream if told how. Reading never changes a byte. */
export function openTracker(
  repo: Repository,
  target: string | null,
  path: string,
  upstream: (() => Promise<UpstreamTasks | null>) | null = null,
): Tracker {
  const kind = trackerKindOf(path) ?? 'markdown';
  const text = openTaskText(repo, target, path);
  const settle = createSettling(repo);
  const differ = createDiffering(repo, { target, path, kind });
  const tell = createTelling();
  let seen = '';
  let seenFile = '';
  let isYoung = false;
  let last = '';
  return {
    path,
    look: async () => {
      const standing = await text.stand();
      const { mark: ofFile, writtenMs } = markOf(text.fileIn(standing));
      const there = upstream === null ? undefined : await upstream();
      const { head, integration, checkout } = standing;
      const mark = [head, integration, checkout, ofFile, there?.name, ...(there?.done ?? [])].join(' ');
      if ((mark === seen && !isYoung) || !settle(standing, ofFile)) return null;
      const isSame = ofFile === seenFile;
      [seen, seenFile] = [mark, ofFile];
      isYoung = writtenMs !== null && Date.now() - writtenMs < TICK_MS;
      const before = last;
      const read = await readOrTell(text, standing, { target, path, kind });
      const found = 'tasks' in read && there !== undefined ? { ...read, upstream: there } : read;
      last = JSON.stringify(found);
      const warnings = 'tasks' in found ? [...differ(standing, found.tasks), ...tell(found.tasks, there ?? null)] : [];
      return isSame && last === before && warnings.length === 0 ? null : { ...found, warnings };
    },
    ...(upstream === null ? {} : { upstream }),
    close: (landed) =>
      tickLoose(
        { repo, path, text, kind },
        landed.map(({ hold }) => hold.task),
      ),
    tick: tickerOf(kind),
  };
}

/**
 * Git writes the files of another branch before it says that the checkout stands there, and takes a file away before it writes the
 * new one. So a change in a checkout counts when it stays, and when no git is at work there.
 */
function createSettling(repo: Repository): (standing: Standing, mark: string) => boolean {
  let settled: { readonly checkout: string | null; readonly ofFile: string } | null = null;
  let pending: string | null = null;
  return ({ checkout }, ofFile) => {
    const isNew = settled !== null && settled.checkout === checkout && settled.ofFile !== ofFile;
    if (isNew && (pending !== ofFile || (checkout !== null && isGitAtWork(repo, checkout)))) {
      pending = ofFile;
      return false;
    }
    settled = { checkout, ofFile };
    pending = null;
    return true;
  };
}

function isGitAtWork(repo: Repository, checkout: string): boolean {
  const lock = join(adminDirOf(repo, checkout) ?? repo.commonDir, 'index.lock');
  const stat = ifThere(() => statSync(lock, { throwIfNoEntry: false }));
  return stat !== undefined && Date.now() - stat.mtimeMs < SWITCH_MS;
}

interface Listed {
  readonly target: string | null;
  readonly path: string;
  readonly kind: TrackerKind;
}

/** What the file of another branch that somebody stands on says otherwise: it does not count, and they should know. Told once. */
function createDiffering(
  repo: Repository,
  { target, path, kind }: Listed,
): (standing: Standing, tasks: readonly Task[]) => readonly string[] {
  let told = '';
  return ({ head, checkout }, tasks) => {
    if (target === null || head === null || checkout === repo.worktree || leadsOut(path)) return [];
    const branch = branchIn(repo, repo.worktree);
    const file = join(repo.worktree, path);
    const { mark, writtenMs } = markOf(file);
    const about = `${branch ?? ''} ${mark}`;
    if (about === told || writtenMs === null || branch?.startsWith('ralph/') === true) return [];
    told = about;
    const theirs = tasksOrNull(kind, file, path);
    const difference =
      theirs === null ? null : describeDifference({ tasks, on: target }, theirs, branch ?? 'this commit');
    if (difference === null) return [];
    return [`${path} on ${branch ?? 'this commit'} does not count, the tasks are those of ${target}: ${difference}`];
  };
}

/** What is done upstream and not here: nobody starts it, and whoever looks wonders why. Told once. */
function createTelling(): (tasks: readonly Task[], there: UpstreamTasks | null) => readonly string[] {
  const told = new Set<string>();
  return (tasks, there) => {
    const open = tasks.filter(({ id, status }) => status !== 'done' && there?.done.includes(id) === true);
    const names = open.map((task) => String(task.id)).filter((id) => !told.has(id));
    for (const id of names) told.add(id);
    if (there === null || names.length === 0) return [];
    return [`done on ${there.name}, so not started here: ${names.join(', ')}`];
  };
}

function tasksOrNull(kind: TrackerKind, file: string, path: string): readonly Task[] | null {
  try {
    return parseTracker(kind, readPlainFile(file, path)).tasks;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Ticks tasks in the host's own tracker, or in another one that a loop it lands belongs to. */
export function tickerFor(own: Tracker, path: string | undefined): Pick<Tracker, 'path' | 'tick'> {
  return path === undefined || path === own.path ? own : { path, tick: tickerOf(trackerKindOf(path) ?? 'markdown') };
}

const tickerOf =
  (kind: TrackerKind): Tracker['tick'] =>
  (text, task) =>
    Promise.resolve(ticked(kind, text, task));

/** A prompt is a tracker of one task without a file: it is as it was told, and there is nothing to tick. */
export function promptTrackerFile(path: string, digest: string, tasks: readonly Task[]): Tracker {
  let isNew = true;
  return {
    path,
    look: () => {
      const seen = isNew ? { digest, tasks } : null;
      isNew = false;
      return Promise.resolve(seen);
    },
    tick: () => Promise.resolve(null),
    close: () => Promise.resolve(false),
  };
}

type Found = Exclude<Awaited<ReturnType<Tracker['look']>>, null>;

async function readOrTell(text: TaskText, standing: Standing, { target, path, kind }: Listed): Promise<Found> {
  try {
    const list = await text.read(standing);
    const isCommitted = standing.checkout === null && standing.head !== null && (await text.at(standing.head)) !== null;
    return parse(list, isCommitted ? `${target ?? ''}:${path}` : path, kind);
  } catch (error) {
    if (error instanceof AppError) return { problems: [error.message] };
    throw error;
  }
}

function parse(text: string, shown: string, kind: TrackerKind): Found {
  const { tasks, problems } = isBeadsLines(shown) ? parseBeadsLines(text) : parseTracker(kind, text);
  if (problems.length > 0)
    return { problems: problems.map((problem) => `${shown}:${problem.line}:${problem.column} ${problem.message}`) };
  return { digest: createHash('sha256').update(text).digest('hex'), tasks };
}
