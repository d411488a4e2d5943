import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesBelow } from './files.mjs';

/** A program started from the last build may still load its chunks: they go later. */
const STALE_MS = 15 * 60_000;

function place(folder, name, content, mode) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

const contentOf = (file) => (file.type === 'chunk' ? file.code : file.source);
const isEntry = (file) => file.type === 'program' || (file.type === 'chunk' && file.isEntry);

/** Puts a build in place so that at no moment a program in its folder misses a part. Entries come last. */
export function installOutput({ folder, files, notices, clean }) {
  const entriesLast = [...files].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
  for (const file of entriesLast) place(folder, file.fileName, contentOf(file), isEntry(file) ? 0o755 : 0o644);
  place(folder, 'THIRD-PARTY-NOTICES', notices, 0o644);
  const current = new Set([...files.map((file) => file.fileName), 'THIRD-PARTY-NOTICES']);
  for (const path of filesBelow(folder)) {
    if (current.has(relative(folder, path))) continue;
    if (clean || Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { force: true });
  }
}
