import { readlinkSync } from 'node:fs';
import { listProcesses } from './linux-list.ts';
import { statOf } from './linux-stat.ts';
import type { ProcessSource } from './process-entry.ts';
import { readIfThere, textIfThere } from '../os/read-if-there.ts';

/** Process facts from /proc. */
export const linuxProc: ProcessSource = { bootId, stat: (pid) => statOf(pid), commandsAbove, list: listProcesses };

/** A chain is no longer than this, but for one that is read while processes come and go. */
const STEPS_MAX = 1000;

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

function commandsAbove(pid: number): readonly string[] {
  const commands: string[] = [];
  for (let at = pid; at > 1 && commands.length < STEPS_MAX; at = statOf(at)?.parent ?? 0)
    commands.push(textIfThere(`/proc/${at}/cmdline`));
  return commands;
}
