import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { invariant } from '../../core/model/assert.ts';
import { reachLog } from '../os/failpoint.ts';
import { appendRecord } from './append-record.ts';
import { compact, newestSnapshot, writeSnapshot } from './snapshots.ts';
import { syncDirectory } from '../os/durable-file.ts';
import { endWithoutGaps, listSegments, packedDir, looseSeq } from './log-files.ts';
import { cannotWrite } from '../os/errno.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { readLines } from './scan-files.ts';
import { decodeRecord } from './record-line.ts';
import type { LogPlace } from './log-files.ts';
import type { LogPoint } from '../os/failpoint.ts';
import type { Log, LogReader } from '../contract/log.ts';

/*
 * Many processes write here without a lock. What makes that safe:
 *
 *   A. A record is whole and flushed before link(2) gives it its number; a number is linked only after its predecessor.
 *   B. A loose record is removed only after a segment that holds it is flushed, name and all.
 *   C. A segment is never changed, replaced or removed (so small ones are not merged: every proof below rests on it).
 *   D. A loose file whose number a segment covers means nothing, whoever made it.
 *
 * A directory listing is not atomic: it shows every entry that was there throughout, and perhaps those that came or went.
 * By B and C, a number whose loose file was found absent is in a segment that every listing started later must show.
 *
 * Stale appender: it links a number that was packed and removed meanwhile. The segment was there before the link could
 *   succeed, so the listing after the link shows it: the link is taken back, the append is a conflict. Killed before
 *   that, the file stays and means nothing (D); the next compaction removes it.
 * Appender overtaken by a compactor: its good record may already be packed when it lists. Each line has an id of its own, so
 *   it finds its own line in the segment and knows that the append succeeded.
 * Reader between link and take-back: it lists after it has read. When the segments then cover more than it had used, it starts over
 *   with them. The same listing catches loose records that went away, into a segment, while it read.
 * Two compactors: both pack from the end of the segments on, so their segments are equal (EEXIST) or overlap with equal records.
 *   A compactor reads like any reader and so never packs a stale file. One that wakes up late adds a needless segment and
 *   removes files that are covered (B, D).
 * Compactor killed: before the segment's link, a temporary file is left; after it, loose files that mean nothing.
 * A gap: a number that a listing lacks below one it shows is looked for once more, loose first, segments after; absent in
 *   both it is lost, because A says it was there. Whole listings are only checked once per open log; later reads follow
 *   the numbers, and an append needs its predecessor.
 */

const POLL_MS = 1000;

export interface FileLogOptions {
  /** The longest a watcher waits for news where the kernel does not tell. */
  readonly pollMs?: number;
  /** Opens the log even on a network filesystem. */
  readonly anyFilesystem?: boolean;
  /** For tests: called, and awaited, at each named point. */
  readonly onPoint?: (point: LogPoint) => Promise<void>;
}

const place = (dir: string, options: FileLogOptions): LogPlace => ({
  dir,
  reach: options.onPoint ?? (async (point) => reachLog(point)),
  segments: [],
});

/** Reads a log and never writes: works on a folder that is read-only, and takes an absent one for an empty log. */
export function readLogOnly<E>(dir: string, options: FileLogOptions = {}): LogReader<E> {
  return reader<E>(place(dir, options), options);
}

function reader<E>(at: LogPlace, options: FileLogOptions): LogReader<E> {
  let checked = false;
  return {
    async read(after) {
      if (!checked) endWithoutGaps(at.dir);
      checked = true;
      return readLines(at, after, Infinity, (line, seq, where) => decodeRecord<E>(line, seq, where));
    },
    watch: (onChange, signal) => watchLog(at.dir, options.pollMs ?? POLL_MS, onChange, signal),
    loadSnapshot: async () => newestSnapshot(at.dir),
  };
}

/** Opens the log in `dir` for reading and writing; makes the folder when it is absent. */
export async function openFileLog<E>(dir: string, options: FileLogOptions = {}): Promise<Log<E>> {
  const at = place(dir, options);
  await prove(at, options);
  let failed: { readonly error: unknown } | null = null;
  return {
    ...reader<E>(at, options),
    async append(expectedSeq, by, time, events) {
      invariant(Number.isSafeInteger(expectedSeq) && expectedSeq >= 0, `expectedSeq ${expectedSeq}`);
      // After a failed flush nobody knows what is on the disk: only who has opened it again, and read, may write.
      if (failed !== null) throw failed.error;
      return appendRecord(at, { seq: expectedSeq + 1, at: time, by, events }, (error) => {
        failed = { error };
      });
    },
    async reopen() {
      await prove(at, options);
      try {
        // The trial link changed the folder, so this flush carries names that an earlier one may have lost.
        for (const folder of [packedDir(dir), dir]) await syncDirectory(folder);
      } catch (error) {
        throw cannotWrite(dir, error);
      }
      failed = null;
    },
    async saveSnapshot(seq, state) {
      try {
        await compact(at, seq);
        await writeSnapshot(at, { seq, state });
      } catch (error) {
        throw cannotWrite(dir, error);
      }
    },
  };
}

/** The folder can be written, and what it holds can be gone on from. */
async function prove(at: LogPlace, options: FileLogOptions): Promise<void> {
  await prepareDirectory(at.dir, options.anyFilesystem ?? false);
  at.segments = listSegments(at.dir);
  // A gap or a newer version must show before the first write, not when somebody reads that far.
  const end = endWithoutGaps(at.dir);
  if (end > 0) await readLines(at, end - 1, end, (line, seq, where) => decodeRecord(line, seq, where));
}

/** Two changes may share one timestamp: a directory that changed this recently is looked at once more. */
const YOUNG_MS = 2000;

interface Look {
  readonly inode: bigint | null;
  readonly changedNs: bigint | null;
  readonly young: boolean;
}

/** Calls back when the directory may hold new records: at once through the kernel where it can, else at the next poll. */
function watchLog(dir: string, pollMs: number, onChange: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  let watcher: FSWatcher | null = null;
  let told = false;
  const tell = (): void => {
    if (told) return;
    told = true;
    setImmediate(() => {
      told = false;
      if (!signal.aborted) onChange();
    });
  };
  let last = look(dir);
  watcher = follow(dir, tell);
  const timer = setInterval(() => {
    const now = look(dir);
    if (now.inode !== last.inode) {
      watcher?.close();
      watcher = now.inode === null ? null : follow(dir, tell);
    }
    if (now.changedNs !== last.changedNs || now.inode !== last.inode || last.young) tell();
    last = now;
  }, pollMs);
  timer.unref();
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(timer);
      watcher?.close();
    },
    { once: true },
  );
  tell();
}

/** The poll is the promise, this only shortens the wait: out of watches or on a filesystem without them it is left out. */
function follow(dir: string, tell: () => void): FSWatcher | null {
  try {
    const watcher = watch(dir, { persistent: false }, (_event, name) => {
      if (name === null || looseSeq(name) !== null) tell();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

function look(dir: string): Look {
  try {
    const stats = statSync(dir, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { inode: null, changedNs: null, young: false };
    return { inode: stats.ino, changedNs: stats.mtimeNs, young: Date.now() - Number(stats.mtimeMs) < YOUNG_MS };
  } catch {
    return { inode: null, changedNs: null, young: false };
  }
}
