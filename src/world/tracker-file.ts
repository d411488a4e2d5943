import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../core/errors.ts';
import { shellWord } from '../core/remedy.ts';
import type { Task } from '../core/task.ts';
import { trackerKindOf } from '../text/trackers/tracker-names.ts';
import type { TrackerKind } from '../text/trackers/tracker-names.ts';
import { parseTracker, tickTask } from '../text/trackers/tracker.ts';
import type { TrackerFile } from './world.ts';
import { ifThere } from './processes/read-if-there.ts';

const BYTES_MAX = 1024 * 1024;

/** What was written in the same tick of the kernel in which it was looked at may be written once more without a trace. */
const TICK_MS = 50;

/** Opens the task file and keeps an eye on it. Reading never changes a byte. */
export function openTracker(root: string, path: string): TrackerFile {
  const kind = trackerKindOf(path) ?? 'markdown';
  let seen = '';
  let isYoung = false;
  let last = '';
  let missed = false;
  return {
    path,
    look: () => {
      const stat = ifThere(() => statSync(join(root, path), { bigint: true, throwIfNoEntry: false }));
      const mark = stat === undefined ? 'absent' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
      const isSame = mark === seen;
      if (isSame && !isYoung) return null;
      // Git takes a file away before it writes the new one: gone or empty counts only when it stays so.
      const isMissing = (stat === undefined || stat.size === 0n) && seen !== '';
      if (isMissing && !missed) {
        missed = true;
        return null;
      }
      missed = false;
      seen = mark;
      isYoung = stat !== undefined && Date.now() - Number(stat.mtimeMs) < TICK_MS;
      const before = last;
      const found = readOrTell(root, path, kind);
      last = JSON.stringify(found);
      return isSame && last === before ? null : found;
    },
    tick: tickerOf(kind),
  };
}

/** Ticks tasks in the host's own tracker, or in another one that a loop it lands belongs to. */
export function tickerFor(own: TrackerFile, path: string | undefined): Pick<TrackerFile, 'path' | 'tick'> {
  return path === undefined || path === own.path ? own : { path, tick: tickerOf(trackerKindOf(path) ?? 'markdown') };
}

export const tickerOf =
  (kind: TrackerKind): TrackerFile['tick'] =>
  (text, task) => {
    const ticked = tickTask(kind, text, task);
    if (ticked.ok) return ticked.text;
    return ticked.reason === 'already' ? text : null;
  };

/** A prompt is a tracker of one task without a file: it is as it was told, and there is nothing to tick. */
export function promptTrackerFile(path: string, digest: string, tasks: readonly Task[]): TrackerFile {
  let isNew = true;
  return {
    path,
    look: () => {
      const seen = isNew ? { digest, tasks } : null;
      isNew = false;
      return seen;
    },
    tick: () => null,
  };
}

function readOrTell(...file: Parameters<typeof read>): ReturnType<TrackerFile['look']> {
  try {
    return read(...file);
  } catch (error) {
    if (error instanceof AppError) return { problems: [error.message] };
    throw error;
  }
}

function read(root: string, path: string, kind: TrackerKind): ReturnType<TrackerFile['look']> {
  const text = readPlainFile(join(root, path), path);
  const { tasks, problems } = parseTracker(kind, text);
  if (problems.length > 0)
    return { problems: problems.map((problem) => `${path}:${problem.line}:${problem.column} ${problem.message}`) };
  return { digest: createHash('sha256').update(text).digest('hex'), tasks };
}

/** No link, no pipe, no device, no giant: what a task file is replaced by must not be read or waited for. */
function readPlainFile(file: string, shown: string): string {
  const unsafe = (what: string): AppError =>
    new AppError('E_TASKS_UNSAFE', `${shown} ${what}`, { remedy: `ls -l ${shellWord(shown)}` });
  const kind = ifThere(() => lstatSync(file, { throwIfNoEntry: false }));
  if (kind === undefined)
    throw new AppError('E_NO_TASKS', `${shown} is gone`, { remedy: `git checkout -- ${shellWord(shown)}` });
  if (!kind.isFile()) throw unsafe(kind.isSymbolicLink() ? 'is a symbolic link' : 'is not a plain file');
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unsafe('is not a plain file');
    if (stat.size > BYTES_MAX)
      throw unsafe(`is ${Math.round(stat.size / BYTES_MAX)} MB; at most 1 MB is read (line 1, column 1)`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
