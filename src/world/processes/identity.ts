import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { invariant } from '../../core/model/assert.ts';
import { processSource } from './process-source.ts';
import { errnoOf } from '../os/system-failure.ts';
import type { ProcessStat } from './process-entry.ts';

/** A process for good: pids come around again, a start time within one boot does not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** As the system counts it: field 22 of /proc/<pid>/stat, or the lstart of ps. */
  readonly startTime: string;
  /** The boot and, inside a container, its pid namespace, behind a slash: only there the pid means anything. */
  readonly bootId: string;
}

let bootId: string | null = null;

/** The identity of this very process. */
export function ownIdentity(): ProcessIdentity {
  const own = identityOf(process.pid);
  invariant(own !== null, 'this process has an identity');
  return own;
}

/** Who holds a pid now; null when nobody does, or only a zombie. */
export function identityOf(pid: number): ProcessIdentity | null {
  const stat = processSource.stat(pid);
  return stat === null || stat.zombie ? null : toIdentity(stat);
}

/** As identityOf, but a child that already ended and was not collected yet still has a name. */
export function identityOfOwnChild(pid: number): ProcessIdentity | null {
  const stat = processSource.stat(pid);
  return stat === null ? null : toIdentity(stat);
}

/** Whether exactly this process still runs. One in another container is believed what it shows. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== currentBootId()) return isSameBoot(identity) && showsLife(identity);
  const stat = processSource.stat(identity.pid);
  return stat !== null && !stat.zombie && stat.startTime === identity.startTime;
}

/** Suspended by a signal: alive, but it does nothing until it is told to go on. */
export function isStopped(identity: ProcessIdentity): boolean {
  // Elsewhere the number names another process.
  return !isInAnotherContainer(identity) && isAlive(identity) && processSource.stat(identity.pid)?.stopped === true;
}

/** Or of another boot: here its number says nothing. */
export const isInAnotherContainer = (identity: ProcessIdentity): boolean => identity.bootId !== currentBootId();

const isSameBoot = ({ bootId: other }: ProcessIdentity): boolean =>
  other !== '' && other.split('/')[0] === currentBootId().split('/')[0];

export function toIdentity(stat: ProcessStat): ProcessIdentity {
  return { pid: stat.pid, startTime: stat.startTime, bootId: currentBootId() };
}

export function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}

function currentBootId(): string {
  bootId ??= processSource.bootId();
  return bootId;
}

/** One of the processes that share a folder. */
interface Shown {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** Not held yet: whoever starts at the same time would take it for a dead one's. */
const DRAFT = '.new';

let folder: string | null = null;
/** What to take away in the end; all with one listener, however many repositories one process opens. */
const signs: string[] = [];

const nameOf = ({ pid, startTime, bootId }: Shown): string =>
  `${pid}-${startTime}-${bootId}`.replaceAll(/[^\w-]/g, '_');

/**
 * Shows processes in other containers, which cannot see this one, that it lives: by holding a pipe in a folder they share.
 * The kernel lets go of it when this process ends, however it ends.
 */
export async function showLife(dir: string, own: Shown): Promise<void> {
  folder = dir;
  const sign = join(dir, nameOf(own));
  try {
    mkdirSync(dir, { recursive: true });
    const shown = readdirSync(dir).filter((name) => !name.endsWith(DRAFT));
    for (const name of shown) if (!isHeld(join(dir, name))) rmSync(join(dir, name), { force: true });
    await promisify(execFile)('mkfifo', ['-m', '600', `${sign}${DRAFT}`]);
    openSync(`${sign}${DRAFT}`, constants.O_RDWR | constants.O_NONBLOCK);
    renameSync(`${sign}${DRAFT}`, sign);
    if (signs.push(sign) === 1) process.on('exit', removeSigns);
  } catch {
    // Nobody but other containers misses it.
  }
}

function removeSigns(): void {
  for (const sign of signs) rmSync(sign, { force: true });
}

/** Whether a process that cannot be seen from here shows that it lives. */
export const showsLife = (process: Shown): boolean => folder !== null && isHeld(join(folder, nameOf(process)));

/** Opening a pipe for writing fails where nobody has it open for reading. What is no such failure proves nothing. */
function isHeld(sign: string): boolean {
  try {
    closeSync(openSync(sign, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ENXIO' && errnoOf(error) !== 'ENOENT';
  }
}
