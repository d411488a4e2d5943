import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from '../log/log-errors.ts';
import { textIfThere } from '../processes/read-if-there.ts';

/** Writes a note beside git's own files of a worktree, whole or not at all; it is on the disk when this returns. */
export function writeAdminNote(adminDir: string, name: string, note: object): void {
  const file = join(adminDir, name);
  try {
    writeFlushed(`${file}.tmp`, JSON.stringify(note));
    renameSync(`${file}.tmp`, file);
    const folder = openSync(adminDir, 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw cannotWrite(adminDir, error);
  }
}

function writeFlushed(file: string, text: string): void {
  const draft = openSync(file, 'w', 0o600);
  try {
    writeFileSync(draft, text);
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
}

/** Null: there is none, or one that an agent or a crash spoiled. Whoever reads it checks what is in it. */
export function readAdminNote(adminDir: string, name: string): Partial<Record<string, unknown>> | null {
  try {
    return JSON.parse(textIfThere(join(adminDir, name)) || 'null') as Partial<Record<string, unknown>> | null;
  } catch {
    return null;
  }
}
