import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { looseSeq } from './log-files.ts';

/** Two changes may share one timestamp: a directory that changed this recently is looked at once more. */
const YOUNG_MS = 2000;

interface Look {
  readonly inode: bigint | null;
  readonly changedNs: bigint | null;
  readonly young: boolean;
}

/** Calls back when the directory may hold new records: at once through the kernel where it can, else at the next poll. */
export function watchLog(dir: string, pollMs: number, onChange: () => void, signal: AbortSignal): void {
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
