import { readlinkSync } from 'node:fs';
import { listProcesses } from './linux-list.ts';
import { statOf } from './linux-stat.ts';
import type { ProcessSource } from './process-entry.ts';
import { readIfThere } from './read-if-there.ts';

/** Process facts from /proc. */
export const linuxProc: ProcessSource = { bootId, stat: (pid) => statOf(pid), list: listProcesses };

/** The namespace the machine itself has, as the kernel numbers it. */
const FIRST_PIDS = 'pid:[4026531836]';

function bootId(): string {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.toString('latin1').trim() ?? '';
  const pids = pidNamespace();
  return pids === FIRST_PIDS ? boot : `${boot}/${pids}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return FIRST_PIDS;
  }
}
