import { invariant } from '../../core/model/assert.ts';
import { processSource } from './process-source.ts';
import type { ProcessStat } from './process-entry.ts';
import { showsLife } from './sign-of-life.ts';

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
