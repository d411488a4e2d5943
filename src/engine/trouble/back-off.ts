import type { Clock } from '../../world/contract/world.ts';

const RETRY_FIRST_MS = 1000;

/** How long each wish is left alone after it came to nothing: longer each time. */
export interface BackOff {
  readonly add: (key: string, maxMs: number) => void;
  readonly isTooEarly: (key: string) => boolean;
  readonly tries: (key: string) => number;
}

export function createBackOff(clock: Clock): BackOff {
  const waits = new Map<string, { readonly untilAwakeMs: number; readonly tries: number }>();
  const triesOf = (key: string): number => waits.get(key)?.tries ?? 0;
  return {
    add: (key, maxMs) => {
      const tries = triesOf(key) + 1;
      waits.set(key, { untilAwakeMs: clock.awakeMs() + Math.min(maxMs, RETRY_FIRST_MS * 2 ** (tries - 1)), tries });
    },
    isTooEarly: (key) => clock.awakeMs() < (waits.get(key)?.untilAwakeMs ?? 0),
    tries: triesOf,
  };
}
