import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { reach } from './failpoint.ts';

/** What a text becomes; null: it stays as it is. */
export type Splice = (text: string) => string | null;

const BYTES_MAX = 1024 * 1024;
const TRIES_MAX = 5;

interface Plain {
  readonly text: string;
  readonly mode: number;
  /** Another value: somebody has written it since. */
  readonly mark: string;
}

/** A file of text that is no link and no giant; null: it is something else. */
export function readPlain(file: string): Plain | null {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > BYTES_MAX) return null;
  const text = textOf(readFileSync(file));
  const mark = `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
  return text === null ? null : { text, mode: Number(stat.mode) & 0o7777, mark };
}

/** By one rename, so that a kill leaves the old file or the new one. Whoever saves it meanwhile is waited for. */
export function spliceFile(file: string, splice: Splice): void {
  const aside = join(dirname(file), `.${basename(file)}.ralph-tick`);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = readPlain(file);
    const text = seen === null ? null : splice(seen.text);
    if (seen === null || text === null || text === seen.text) break;
    const handle = openSync(aside, 'w');
    try {
      writeFileSync(handle, text);
      fchmodSync(handle, seen.mode);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    reach('publish.aside');
    if (readPlain(file)?.mark !== seen.mark) continue;
    renameSync(aside, file);
    break;
  }
  rmSync(aside, { force: true });
}

/** Bytes as text; null: they are not UTF-8, and could not be written back. */
export function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}
