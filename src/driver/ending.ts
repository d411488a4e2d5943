import type { Client } from './client.ts';

const KILL_MS = 2000;

/** Brings a client to its end: first nothing more is said to it, then it is asked by signal, then it is killed. */
export interface Ending {
  /** Begins, or begins anew with another time to leave by itself. */
  readonly begin: (graceMs: number) => void;
  /** It works again: no time runs. */
  readonly pause: () => void;
  /** Nothing more can be said to it. */
  readonly isBegun: () => boolean;
  /** It did not leave by itself. */
  readonly isForced: () => boolean;
  readonly clear: () => void;
}

export function openEnding(client: Client): Ending {
  let isBegun = false;
  let isForced = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const force = (): void => {
    isForced = true;
    client.kill('SIGTERM');
    wait(KILL_MS, () => client.kill('SIGKILL'));
  };
  return {
    begin: (graceMs) => {
      if (isForced) return;
      if (!isBegun) client.closeInput();
      isBegun = true;
      wait(graceMs, force);
    },
    pause: () => {
      if (!isForced) clearTimeout(timer);
    },
    isBegun: () => isBegun,
    isForced: () => isForced,
    clear: () => clearTimeout(timer),
  };
}
