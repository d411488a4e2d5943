import { readlinkSync } from 'node:fs';
import { sep } from 'node:path';

/** Whether a process works in a folder or below it. False where the system does not tell. */
export function standsIn(pid: number, folder: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === folder || cwd.startsWith(folder + sep);
  } catch {
    return false;
  }
}
