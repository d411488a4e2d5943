import { basename, dirname } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { TaskId } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import { errorCode } from '../os/errno.ts';
import { withMutex } from '../processes/mutex.ts';
import { spliceFile } from '../os/splice-file.ts';
import { lockFile } from '../git/run/state-places.ts';
import { isTracked } from './target-tree.ts';
import type { TaskText } from './task-text.ts';
import type { TrackerFile } from '../contract/world.ts';

interface Loose {
  readonly repo: Repository;
  readonly path: string;
  readonly text: TaskText;
  readonly tick: TrackerFile['tick'];
}

/**
 * A task file that git does not have gets its ticks by no landing: its boxes are set where it lies, and nothing else of it. False:
 * git has it, here or where it lies.
 */
export async function tickLoose({ repo, path, text, tick }: Loose, tasks: readonly TaskId[]): Promise<boolean> {
  const { head, integration, checkout } = await text.stand();
  const file = text.fileIn({ head, integration, checkout });
  for (const commit of [head, integration]) if (commit !== null && (await text.at(commit)) !== null) return false;
  if (await isTracked(dirname(file), basename(file)).catch(() => false)) return false;
  const ticked = (before: string): string => tasks.reduce((now, task) => tick(now, task) ?? now, before);
  try {
    await withMutex(lockFile(repo, 'tick'), async () => spliceFile(file, ticked));
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw new AppError('E_TASKS', `${path} cannot be ticked: ${String(error)}`, { cause: error });
  }
}
