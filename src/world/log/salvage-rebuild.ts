import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reach } from '../os/failpoint.ts';
import { syncDirectory, writeDurably } from '../os/durable-file.ts';
import { packedDir, salvagedDir, segmentPath, snapshotPath } from './log-names.ts';
import { encodeLost, encodeRecord, SALVAGE } from './record-line.ts';
import type { Inspection } from './salvage-inspect.ts';

/** What a damaged log is made into: the same numbers, each with its record, a note that a snapshot holds it, or nothing. */
export interface Plan {
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
export function planRebuild(found: Inspection, atMs: number): Plan {
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
export async function putInPlace(dir: string, plan: Plan, aside: string): Promise<void> {
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
export async function finishSwap(dir: string, aside: string): Promise<void> {
  if (existsSync(dir)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    renameSync(dir, join(aside, 'log'));
    await syncDirectory(aside);
  }
  reach('repair.aside');
  renameSync(salvagedDir(dir), dir);
  await syncDirectory(dirname(dir));
}
