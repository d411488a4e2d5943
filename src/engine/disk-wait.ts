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
  /** Somebody saw that there is hardly any room. */
  readonly note: () => void;
  /** Whether there was trouble at or after this moment of the clock that does not jump. */
  readonly wasSince: (awakeMs: number) => boolean;
}

export function createDiskWait(clock: Clock, drain: AbortSignal, onWarning: (text: string) => void): DiskWait {
  let isTold = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  const note = (): void => {
    lastMs = clock.awakeMs();
  };
  const tell = (error: unknown): void => {
    note();
    if (!isTold)
      onWarning(
        `${sentence(error)} Nothing new starts, what runs goes on, and nothing is lost: all goes on by itself once the disk takes it.${remedy(error)}`,
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
      if (isTold) onWarning('the disk can be written again: going on');
      isTold = false;
    },
    note,
    wasSince: (awakeMs) => lastMs >= awakeMs,
  };
}

const sentence = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');

const remedy = (error: unknown): string =>
  ` Make room: ${(error instanceof AppError ? error.remedy : null) ?? 'df -h'}`;
