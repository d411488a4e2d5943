import { AppError } from '../core/model/errors.ts';
import type { Clock } from '../world/contract/world.ts';
import { saysWant, wantOf, type Want } from './trouble/want.ts';

const LOOK_AGAIN_MS = 1000;

/** Waits until a disk takes what we write, or the system gives processes and files again, and tells people once that we do. */
export interface DiskWait {
  /** Something could not be done for want of room, processes or files. */
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
  let told: Want | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  const note = (): void => {
    lastMs = clock.awakeMs();
  };
  const tell = (error: unknown): void => {
    note();
    const want = wantOf(error) ?? 'disk';
    if (told === null)
      onWarning(
        `${sentence(error)} Nothing new starts, loops at work continue, and nothing is lost. The run continues by itself once ${ENDS[want]}.${remedy(error, want)}`,
      );
    told ??= want;
  };
  return {
    tell,
    pause: async (error) => {
      tell(error);
      await clock.sleep(LOOK_AGAIN_MS, drain);
      return !drain.aborted;
    },
    over: () => {
      if (told !== null) onWarning(`${OVER[told]}: continuing`);
      told = null;
    },
    note,
    wasSince: (awakeMs) => lastMs >= awakeMs,
  };
}

/** That git failed tells nothing; what it said stands among the facts. */
function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const said = error instanceof AppError && !saysWant(message) ? error.facts.find(saysWant) : undefined;
  return (said === undefined ? message : `${message.replace(/\.$/, '')}: ${said}`).replace(/\.?$/, '.');
}

const ENDS: Readonly<Record<Want, string>> = {
  disk: 'the disk takes it',
  processes: 'the system starts processes again',
  files: 'the system opens files again',
};

const OVER: Readonly<Record<Want, string>> = {
  disk: 'the disk can be written again',
  processes: 'processes can be started again',
  files: 'files can be opened again',
};

const HELPS: Readonly<Record<Want, readonly [string, string]>> = {
  disk: ['Make room', 'df -h'],
  processes: ['See what there is', 'ps -u "$(id -un)"'],
  files: ['See the limit', 'ulimit -n'],
};

function remedy(error: unknown, want: Want): string {
  const [what, command] = HELPS[want];
  const own = want === 'disk' && error instanceof AppError ? error.remedy : null;
  return ` ${what}: ${own ?? command}`;
}
