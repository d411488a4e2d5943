import { statSync } from 'node:fs';
import { localTime } from '../os/clock.ts';
import { AppError } from '../../core/model/errors.ts';
import type { ProcessIdentity } from './identity.ts';
import { isInAnotherContainer, isStopped } from './identity.ts';

/** Nobody is suspended for a moment only, and it does not say so itself. Longer than gates look for another worktree. */
const SUSPENDED_MS = { alone: 3000, shared: 6000 } as const;
/** Whoever holds a mutex makes a worktree or moves a branch: not even a large one takes this long. */
const BUSY_MS = 30_000;
const LOOK_EVERY_MS = 500;

interface MutexWait {
  /** Somebody else holds it, again. Throws if it is not worth waiting any longer. */
  readonly blocked: (holders: readonly ProcessIdentity[]) => void;
  readonly over: () => void;
}

/** `shared`: for what is held as long as gates run, and by several. */
export function createMutexWait(path: string, kind: 'alone' | 'shared'): MutexWait {
  const startedMs = performance.now();
  let lookedMs = startedMs;
  let told: string | null = null;
  return {
    blocked: ([first, ...others]) => {
      const nowMs = performance.now();
      if (first === undefined || nowMs - lookedMs < LOOK_EVERY_MS) return;
      lookedMs = nowMs;
      const listener = mutexListener();
      const isSuspended = [first, ...others].every(isStopped);
      const isOver = listener.force?.aborted === true || (isSuspended && listener.drain?.aborted === true);
      if (isOver && kind === 'alone') throw ended(listener, sentence(path, first, isSuspended), first, isSuspended);
      const isLong = isSuspended ? SUSPENDED_MS[kind] : kind === 'alone' ? BUSY_MS : Infinity;
      const about = `${first.pid} ${isSuspended}`;
      if (nowMs - startedMs < isLong || told === about) return;
      told = about;
      listener.tell(`waiting: ${sentence(path, first, isSuspended)}. ${advice(first, isSuspended)}`);
    },
    over: () => {
      if (told !== null) mutexListener().tell(`${path} is free again: continuing`);
    },
  };
}

/** Who holds it, since when. */
export function sentence(path: string, holder: ProcessIdentity, isSuspended: boolean): string {
  const where = isInAnotherContainer(holder) ? ' of another container' : '';
  return `process ${holder.pid}${where}${isSuspended ? ', which is suspended,' : ''} holds ${path} since ${sinceOf(path)}`;
}

const advice = (holder: ProcessIdentity, isSuspended: boolean): string =>
  isSuspended
    ? `Wake it: ${wakes(holder)}; or end it, and this command finishes its work: kill -9 ${holder.pid}`
    : isInAnotherContainer(holder)
      ? 'This command continues when that process is done'
      : `This command continues when that process is done; look at it: ps -o pid,stat,etime,args -p ${holder.pid}`;

export const wakes = ({ pid }: ProcessIdentity): string => `kill -CONT ${pid}`;

/** Nobody waits any longer, for somebody asked to end. */
function ended({ drain }: MutexListener, why: string, holder: ProcessIdentity, isSuspended: boolean): AppError {
  const remedy = isSuspended ? wakes(holder) : `ps -o pid,stat,etime,args -p ${holder.pid}`;
  return new AppError(drain?.reason === 'SIGTERM' ? 'E_TERMINATED' : 'E_INTERRUPTED', `${why}`, { remedy });
}

/** A link counts as a change of the file, so this is when it was taken. */
const sinceOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'just now' : localTime(stat.ctimeMs);
};

/** Who hears that this process waits for another one. */
interface MutexListener {
  readonly tell: (text: string) => void;
  /** From then on nobody waits for a process that is suspended. Its reason is the signal that asked to end. */
  readonly drain?: AbortSignal;
  /** From then on nobody waits for anybody. */
  readonly force?: AbortSignal;
}

/** One for the whole process, as the queues before its mutexes are. */
let listener: MutexListener = { tell: () => {} };

export function hearWaits(next: MutexListener): void {
  listener = next;
}

const mutexListener = (): MutexListener => listener;
