/*
 * <dir>/000000000042                                    a loose record
 * <dir>/.tmp-<pid>-<id>                                 being written
 * <dir>/packed/segment-000000000001-000000000041.jsonl  records that were packed together
 * <dir>/packed/snapshot-000000000041.json               a fold
 *
 * <dir>.salvaged                                        a whole new log that is about to take this one's place
 *
 * Packed files have a folder of their own so that asking for them, which every append and read does, stays cheap
 * however many loose records there are.
 */

/** Records from..to in one file. Once there, a segment is never changed, replaced or removed. */
export interface Segment {
  readonly from: number;
  readonly to: number;
}

const LOOSE = /^\d{12}$/;
const SEGMENT = /^segment-(\d{12})-(\d{12})\.jsonl$/;
const SNAPSHOT = /^snapshot-(\d{12})\.json$/;
const TEMPORARY = /^\.tmp-(\d+)-/;

const padded = (seq: number): string => String(seq).padStart(12, '0');

export const packedDir = (dir: string): string => `${dir}/packed`;
export const salvagedDir = (dir: string): string => `${dir}.salvaged`;
export const loosePath = (dir: string, seq: number): string => `${dir}/${padded(seq)}`;
export const segmentPath = (dir: string, { from, to }: Segment): string =>
  `${packedDir(dir)}/segment-${padded(from)}-${padded(to)}.jsonl`;
export const snapshotPath = (dir: string, seq: number): string => `${packedDir(dir)}/snapshot-${padded(seq)}.json`;
/** `id` must be new each time. */
export const temporaryPath = (dir: string, id: string): string => `${dir}/.tmp-${process.pid}-${id}`;

export const looseSeq = (name: string): number | null => (LOOSE.test(name) ? Number(name) : null);

export function segmentOf(name: string): Segment | null {
  const match = SEGMENT.exec(name);
  return match === null ? null : { from: Number(match[1]), to: Number(match[2]) };
}

export function snapshotSeq(name: string): number | null {
  const match = SNAPSHOT.exec(name);
  return match === null ? null : Number(match[1]);
}

/** The process that made a temporary file, or null when the name is not of a temporary file. */
export function temporaryOwner(name: string): number | null {
  const match = TEMPORARY.exec(name);
  return match === null ? null : Number(match[1]);
}
