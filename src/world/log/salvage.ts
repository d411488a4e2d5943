import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { withMutex } from '../processes/mutex.ts';
import { isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { removeQuietly, writeDurably } from '../os/durable-file.ts';
import { readLogOnly } from './file-log.ts';
import { isHalfSwapped } from './list-log.ts';
import { packedDir } from './log-names.ts';
import { inspectLog } from './salvage-inspect.ts';
import type { Damage } from './salvage-inspect.ts';
import { finishSwap, planRebuild, putInPlace } from './salvage-rebuild.ts';
import type { Plan } from './salvage-rebuild.ts';

export interface Salvaged extends Pick<Plan, 'base' | 'lost'> {
  readonly damage: readonly Damage[];
  /** Where the damaged log is now. */
  readonly aside: string;
}

/** Notes that facts were lost which git may know: whoever starts next asks it, also after a crash. */
export const lossNote = (stateDir: string): string => join(stateDir, 'facts-lost');

/** Whether the log can be used: reads what a start reads. Throws what only another version or a person can mend. */
export async function isUsable(dir: string): Promise<boolean> {
  const reader = readLogOnly(dir);
  try {
    await reader.read((await reader.loadSnapshot())?.seq ?? 0);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_LOG_DAMAGED') return false;
    throw error;
  }
}

/**
 * Makes a damaged log usable again; null: it is whole. Nothing is deleted: the damaged one lies aside as it was. A host that
 * lives would go on with what it has read, so none may.
 */
export async function salvageLog(dir: string, atMs: number): Promise<Salvaged | null> {
  const stateDir = dirname(dir);
  return withMutex(join(stateDir, 'locks', 'salvage'), async () => {
    const aside = join(stateDir, 'damaged', new Date(atMs).toISOString().replaceAll(/[:.]/g, '-'));
    if (isHalfSwapped(dir)) await finishSwap(dir, aside);
    if (inspectLog(dir).damage.length === 0) return null;
    refuseLiving(dir);
    // Once more: somebody who lived a moment ago may have written since.
    const found = inspectLog(dir);
    if (found.damage.length === 0) return null;
    reach('repair.begun');
    const plan = planRebuild(found, atMs);
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    if (plan.lost !== null) await replaceDurably(lossNote(stateDir), `${aside}\n`);
    await replaceDurably(
      join(aside, 'report.txt'),
      found.damage.map(({ where, what }) => `${where}: ${what}\n`).join(''),
    );
    await putInPlace(dir, plan, aside);
    reach('repair.done');
    return { damage: found.damage, aside, base: plan.base, lost: plan.lost };
  });
}

async function replaceDurably(file: string, text: string): Promise<void> {
  removeQuietly(file);
  await writeDurably(file, text);
}

/** Looked for in the raw text, whole or not: a host whose joining is the damaged record lives all the same. */
function refuseLiving(dir: string): void {
  for (const folder of [dir, packedDir(dir)])
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const host = marksIn(readFileSync(join(folder, entry.name), 'utf8')).find(isOtherAlive);
      if (host !== undefined)
        throw new AppError('E_BUSY', `The log is damaged, but a host still works with it (process ${host.pid}).`, {
          remedy: `kill -INT ${host.pid}; ralph doctor --fix`,
        });
    }
}

const isOtherAlive = (mark: ProcessIdentity): boolean => isAlive(mark) && !isSame(mark, ownIdentity());

const MARK = /"mark":\{"pid":(\d+),"startTime":"([^"]*)","bootId":"([^"]*)"/g;

const marksIn = (text: string): readonly ProcessIdentity[] =>
  [...text.matchAll(MARK)].map(([, pid, startTime = '', bootId = '']) => ({ pid: Number(pid), startTime, bootId }));
