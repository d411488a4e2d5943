import { AppError } from '../core/errors.ts';
import type { Clock } from '../world/world.ts';

const LOOK_AGAIN_MS = 1000;

/** Waits until a disk takes what we write, and tells people once that we do. */
export interface DiskWait {
  /** Something could not be done for want of room. */
  readonly tell: (error: unknown) => void;
  /** After a moment it is worth another try. False: told to stop, so nobody waits any longer. */
  readonly pause: (error: unknown) => Promise<boolean>;
  /** It worked again. */
  readonly over: () => void;
}

export function createDiskWait(clock: Clock, drain: AbortSignal, onWarning: (text: string) => void): DiskWait {
  let isTold = false;
  const tell = (error: unknown): void => {
    if (!isTold)
      onWarning(
        `${sentence(error)} Nothing new starts, what runs goes on, and so does everything once there is room; nothing is lost.${remedy(error)}`,
      );
    isTold = true;
  };
  return {
    tell,
    pause: async (error) => {
      tell(error);
      await clock.sleep(LOOK_AGAIN_MS, drain);
      return !drain.aborted;
    },
    over: () => {
      if (isTold) onWarning('there is room on the disk again: going on');
      isTold = false;
    },
  };
}

const sentence = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');

const remedy = (error: unknown): string =>
  ` Make room: ${(error instanceof AppError ? error.remedy : null) ?? 'df -h'}`;
