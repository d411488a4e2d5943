import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

const LOGS = ['stdout.log', 'stderr.log'];
/** Of a longer log the beginning and the end are read. */
const BYTES_MAX = 16 * 1024 * 1024;
const BEFORE_CHARS = 2000;

/** The end of what stands before a name: words that write to it, in a shell or as a client's tool. */
const WRITES = [
  /(?:>|\btee\b(?:\s+-a)?)\s*(?:\\?["'])?$/,
  /\b(?:rm|touch|truncate|unlink|rmdir|mkdir|chmod|tee|dd|sed\s+-i|perl\s+-\S*i)\b[^|;&\n]*$/,
  /\b(?:cp|mv|ln|install|rsync)\b[^|;&\n]*[\s"']$/,
  /"name"\s*:\s*"(?:Write|Edit|MultiEdit|NotebookEdit|write_file|edit_file|create_file|write|edit|replace|str_replace\w*|apply_patch)"[^\n]*$/,
  /\*\*\* (?:Add|Update|Delete) File: $/,
  /\b(?:wrote|overwrote|created|edited|saved|deleted|removed)\b[^.;|\n]*$/i,
];

/** Whether an agent's output says that it wrote a file of one of these names. To read a file is no offence, so its name alone says nothing. */
export function openTold(dir: string): (names: readonly string[]) => boolean {
  let logs: readonly string[] | null = null;
  return (names) => {
    logs ??= readLogs(dir);
    return logs.some((log) => names.some((name) => tells(log, name)));
  };
}

export const readLogs = (dir: string): readonly string[] => LOGS.map((name) => readLog(join(dir, name)));

/** Every path below a folder that the output names. */
export function pathsNamed(logs: readonly string[], folder: string): readonly string[] {
  const found = new Set<string>();
  for (const log of logs)
    for (let at = log.indexOf(`${folder}/`); at !== -1; at = log.indexOf(`${folder}/`, at + 1)) {
      const rest = /^[^\s"'`\\<>|;&):,]+/.exec(log.slice(at + folder.length + 1, at + folder.length + 1024))?.[0];
      if (rest !== undefined && !rest.split('/').includes('..')) found.add(`${folder}/${rest.replace(/\.$/, '')}`);
    }
  return [...found];
}

function tells(log: string, name: string): boolean {
  for (let at = log.indexOf(name); at !== -1; at = log.indexOf(name, at + 1)) {
    // `…/a.txt` is not `…/a.txt.bak`, nor is it a folder of that name.
    if (/^[\w./-]/.test(log.slice(at + name.length, at + name.length + 1))) continue;
    const start = log.lastIndexOf('\n', at) + 1;
    const before = log.slice(Math.max(start, at - BEFORE_CHARS), at).replace(/(?:\$\([^)]*\)|[^\s"'=>])*$/, '');
    if (WRITES.some((pattern) => pattern.test(before))) return true;
  }
  return false;
}

function readLog(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(handle);
    const piece = (from: number, length: number): string => {
      const bytes = Buffer.alloc(length);
      return bytes.toString('utf8', 0, readSync(handle, bytes, 0, length, from));
    };
    if (size <= BYTES_MAX) return piece(0, size);
    return `${piece(0, BYTES_MAX / 2)}\n${piece(size - BYTES_MAX / 2, BYTES_MAX / 2)}`;
  } finally {
    closeSync(handle);
  }
}
