import { join } from 'node:path';
import { readJsonFile, replaceFile } from '../os/files.ts';
import { cannotWrite } from '../os/errno.ts';

/** Writes a note beside git's own files of a worktree, whole or not at all; it is on the disk when this returns. */
export function writeAdminNote(adminDir: string, name: string, note: object): void {
  try {
    replaceFile(join(adminDir, name), JSON.stringify(note), { isDurable: true });
  } catch (error) {
    throw cannotWrite(adminDir, error);
  }
}

/** Null: there is none, or one that an agent or a crash spoiled. Whoever reads it checks what is in it. */
export const readAdminNote = (adminDir: string, name: string): Partial<Record<string, unknown>> | null =>
  readJsonFile(join(adminDir, name)) as Partial<Record<string, unknown>> | null;
