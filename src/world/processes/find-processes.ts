import { readlinkSync } from 'node:fs';
import { sep } from 'node:path';
import { toIdentity } from './identity.ts';
import { processSource } from './process-source.ts';
import type { ProcessIdentity } from './identity.ts';

export interface MarkedProcess {
  readonly identity: ProcessIdentity;
  readonly token: string;
  readonly loop: string | null;
}

/** Every living process, but this one, that carries any token of ours. */
export function findAllMarked(): MarkedProcess[] {
  const marked: MarkedProcess[] = [];
  for (const entry of processSource.list()) {
    if (entry.token === null || entry.pid === process.pid) continue;
    marked.push({ identity: toIdentity(entry), token: entry.token, loop: entry.loop });
  }
  return marked;
}

/** Whether a process works in a folder or below it. False where the system does not tell. */
export function standsIn(pid: number, folder: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === folder || cwd.startsWith(folder + sep);
  } catch {
    return false;
  }
}

/** How a shim shows up: its script, its name, and behind that its run folder. */
const SHIM = /ralph_shim_dir=\$1[^]*?ralph-shim[\0 ][^\0]*?\/runs\/([^/\0 ]+)\/\d+/;

/** The loop whose shim is one of the processes above this one; null: none is. */
export function shimAbove(): string | null {
  for (const command of processSource.commandsAbove(process.ppid)) {
    const loop = SHIM.exec(command)?.[1];
    if (loop !== undefined) return loop;
  }
  return null;
}
