import { basename, dirname } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { TaskId } from '../../core/model/ids.ts';
import type { TrackerKind } from '../../text/trackers/tracker-names.ts';
import { tickTask } from '../../text/trackers/tracker.ts';
import type { Repository } from '../git/run/repository.ts';
import { errorCode } from '../os/errno.ts';
import { withMutex } from '../processes/mutex.ts';
import { spliceFile } from '../os/splice-file.ts';
import { lockFile } from '../git/run/state-places.ts';
import { isTracked } from './target-tree.ts';
import type { TaskText } from './task-text.ts';

/** Null: there is no such task in it. */
export function ticked(kind: TrackerKind, text: string, task: TaskId): string | null {
  const made = tickTask(kind, text, task);
  if (made.ok) return made.text;
  return made.reason === 'already' ? text : null;
}

interface Loose {
  readonly repo: Repository;
  readonly path: string;
  readonly text: TaskText;
  readonly kind: TrackerKind;
}

/**
 * A task file that git does not have gets its ticks by no landing: its boxes are set where it lies, and nothing else of it. False:
 * git has it, here or where it lies.
 */
export async function tickLoose({ repo, path, text, kind }: Loose, tasks: readonly TaskId[]): Promise<boolean> {
  const { head, integration, checkout } = await text.stand();
  const file = text.fileIn({ head, integration, checkout });
  for (const commit of [head, integration]) if (commit !== null && (await text.at(commit)) !== null) return false;
  if (await isTracked(dirname(file), basename(file)).catch(() => false)) return false;
  const tickAll = (before: string): string => tasks.reduce((now, task) => ticked(kind, now, task) ?? now, before);
  try {
    await withMutex(lockFile(repo, 'tick'), async () => spliceFile(file, tickAll));
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw new AppError('E_TASKS', `${path} cannot be ticked: ${String(error)}`, { cause: error });
  }
}
