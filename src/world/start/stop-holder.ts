import { performance } from 'node:perf_hooks';
import { AppError } from '../../core/model/errors.ts';
import { identityOf, isAlive, isSame, isStopped } from '../processes/identity.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { pause } from '../os/clock.ts';

const POLL_MS = 50;

/** Asks a host of ours to stop, as Ctrl-C would, and waits until it is gone; what it did is kept by itself. */
export async function stopHolder(holder: ProcessIdentity, waitMs: number): Promise<void> {
  const { pid } = holder;
  const now = identityOf(pid);
  if (now === null || !isSame(now, holder)) {
    // A pid means something only where it was given.
    if (isAlive(holder)) throw busy(`its process ${pid} lives in another container`, 'ralph status');
    return;
  }
  if (isStopped(holder)) throw busy(`its process ${pid} is suspended`, `kill -CONT ${pid}`);
  try {
    process.kill(pid, 'SIGTERM');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH')
      throw busy(`its process ${pid} belongs to another user`, `ps -o user= -p ${pid}`);
  }
  const deadline = performance.now() + waitMs;
  while (isAlive(holder)) {
    if (performance.now() > deadline) throw busy(`its process ${pid} still ends`, `kill ${pid}; ralph status`);
    await pause(POLL_MS);
  }
}

const busy = (why: string, remedy: string): AppError =>
  new AppError('E_BUSY', `the loop that works here could not be stopped: ${why}`, { remedy });
