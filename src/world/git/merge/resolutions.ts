import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextConflict } from './merge-stages.ts';
import { cannotWrite } from '../../os/errno.ts';

/** How conflicts were resolved before, by the contents that met: whoever merges the same ones again has the answer. */
export interface Resolutions {
  find(conflict: TextConflict): Buffer | null;
  keep(conflict: TextConflict, content: Buffer): void;
}

export const RESOLUTION_BYTES_MAX = 1024 * 1024;
const COUNT_MAX = 1000;
const TOTAL_BYTES_MAX = 64 * 1024 * 1024;
const DIGEST_LENGTH = 64;

/** One small file each. It holds the content itself, so no ref of ours has to keep git from collecting it as garbage. */
export function openResolutions(folder: string, countMax = COUNT_MAX): Resolutions {
  return {
    find: (conflict) => read(join(folder, resolutionKey(conflict))),
    keep: (conflict, content) => {
      if (content.length > RESOLUTION_BYTES_MAX) return;
      try {
        write(folder, resolutionKey(conflict), content);
        forgetOldest(folder, countMax);
      } catch (error) {
        throw cannotWrite(folder, error);
      }
    },
  };
}

function write(folder: string, name: string, content: Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `new-${randomUUID()}`);
  writeFileSync(aside, Buffer.concat([Buffer.from(`${digest(content)}\n`), content]), { mode: 0o600, flag: 'wx' });
  renameSync(aside, join(folder, name));
}

/** The same for all conflicts that have the same answer. Which side was whose does not matter: a resolution holds both. */
export function resolutionKey({ mode, base, ours, theirs }: TextConflict): string {
  return digest(Buffer.from([mode, base ?? '-', ...[ours, theirs].sort()].join(' ')));
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Null also for a file that cannot be read, or that a power cut left half-written: then somebody resolves it again. */
function read(file: string): Buffer | null {
  let found: Buffer;
  try {
    found = readFileSync(file);
  } catch {
    return null;
  }
  const content = found.subarray(DIGEST_LENGTH + 1);
  return found.subarray(0, DIGEST_LENGTH).toString('latin1') === digest(content) ? content : null;
}

function forgetOldest(folder: string, countMax: number): void {
  const files = readdirSync(folder)
    .flatMap((name) => {
      const file = join(folder, name);
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ file, size: stat.size, atMs: stat.mtimeMs }];
    })
    .sort((a, b) => b.atMs - a.atMs);
  let bytes = 0;
  for (const [at, { file, size }] of files.entries()) {
    bytes += size;
    if (at >= countMax || bytes > TOTAL_BYTES_MAX) rmSync(file, { force: true });
  }
}
