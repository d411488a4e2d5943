import { mkdirSync, readFileSync, readdirSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { withMutex } from '../processes/mutex.ts';
import { isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import { removeQuietly, writeDurably, syncDirectory } from '../os/durable-file.ts';
import { readLogOnly } from './file-log.ts';
import { isHalfSwapped, packedDir, salvagedDir, segmentPath, snapshotPath } from './log-files.ts';
import { inspectLog } from './salvage-inspect.ts';
import { encodeLost, encodeRecord, SALVAGE } from './record-line.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import type { Damage, Inspection } from './salvage-inspect.ts';

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
        throw new AppError('E_BUSY', `the log is damaged, but a host still works with it (process ${host.pid})`, {
          remedy: `kill -INT ${host.pid}; ralph doctor --fix`,
        });
    }
}

const isOtherAlive = (mark: ProcessIdentity): boolean => isAlive(mark) && !isSame(mark, ownIdentity());

const MARK = /"mark":\{"pid":(\d+),"startTime":"([^"]*)","bootId":"([^"]*)"/g;

const marksIn = (text: string): readonly ProcessIdentity[] =>
  [...text.matchAll(MARK)].map(([, pid, startTime = '', bootId = '']) => ({ pid: Number(pid), startTime, bootId }));

/** What a damaged log is made into: the same numbers, each with its record, a note that a snapshot holds it, or nothing. */
interface Plan {
  /** One line for each number from 1 on, and one more that closes the salvage. */
  readonly lines: readonly string[];
  readonly snapshots: ReadonlyMap<number, string>;
  /** The snapshot that stands for records that are gone; null: none had to. */
  readonly base: number | null;
  /** Numbers whose facts are gone for good: filled, so that no number is ever given twice. */
  readonly lost: { readonly from: number; readonly to: number } | null;
}

/**
 * What follows a lost record was decided knowing it, so nothing after it is folded, unless a snapshot from further on holds
 * the outcome.
 */
function planRebuild(found: Inspection, atMs: number): Plan {
  const { good, snapshots, end } = found;
  const firstGone = firstWithout(1, end, (seq) => good.has(seq));
  const newest = Math.max(0, ...snapshots.keys());
  const base = newest >= firstGone ? newest : 0;
  const cut = firstWithout(base + 1, end, (seq) => good.has(seq));
  const lines: string[] = [];
  for (let seq = 1; seq <= end + 1; seq++) {
    const kept = seq < cut ? good.get(seq) : undefined;
    lines.push(kept ?? (seq <= base ? encodeLost(seq, atMs, base) : filler(seq, atMs)));
  }
  return {
    lines,
    snapshots: new Map([...snapshots].filter(([seq]) => seq < cut)),
    base: base === 0 ? null : base,
    lost: cut > end ? null : { from: cut, to: end },
  };
}

const filler = (seq: number, at: number): string =>
  encodeRecord({ seq, at, by: SALVAGE, events: [] }, `${SALVAGE}-${seq}`);

function firstWithout(from: number, end: number, isThere: (seq: number) => boolean): number {
  let seq = from;
  while (seq <= end && isThere(seq)) seq += 1;
  return seq;
}

/** Makes the new log beside the old one and swaps them; the old one is moved aside as it is. */
async function putInPlace(dir: string, plan: Plan, aside: string): Promise<void> {
  const draft = `${dir}.salvaging`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(packedDir(draft), { recursive: true, mode: 0o700 });
  await writeDurably(segmentPath(draft, { from: 1, to: plan.lines.length }), plan.lines.join(''));
  for (const [seq, line] of plan.snapshots) await writeDurably(snapshotPath(draft, seq), line);
  await syncDirectory(packedDir(draft));
  await syncDirectory(draft);
  renameSync(draft, salvagedDir(dir));
  await syncDirectory(dirname(dir));
  reach('repair.rebuilt');
  await finishSwap(dir, aside);
}

/** Also for a crash in between: what stands at the log's place then was begun by somebody who found none. */
async function finishSwap(dir: string, aside: string): Promise<void> {
  if (existsSync(dir)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    renameSync(dir, join(aside, 'log'));
    await syncDirectory(aside);
  }
  reach('repair.aside');
  renameSync(salvagedDir(dir), dir);
  await syncDirectory(dirname(dir));
}
