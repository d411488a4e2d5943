import { AppError } from '../../../src/core/model/errors.ts';
import type { Realm, SimHost } from './realm.ts';
import { deliver } from './realm.ts';

/**
 * Something a host asks of the world. It happens after a while, and the host hears of it after another: a crash
 * between the two leaves an effect that nobody wrote down.
 */
export type Op = <T>(effect: () => T, options?: OpOptions) => Promise<T>;

interface OpOptions {
  readonly ms?: number;
  /** Done by the host's own process, so that it cannot happen after its death. */
  readonly own?: boolean;
}

/** A command may fail without having done anything, or after it has done everything. */
const FAULTS = ['before', 'after'] as const;

export function createOp(realm: Realm, host: SimHost): Op {
  const { random, timeline } = realm;
  return (effect, { ms = random.between(1, 12), own = false } = {}) =>
    new Promise((resolve, reject) => {
      const happen = (): void => {
        if (host.dead && (own || random.chance(0.5))) return;
        const isFrozen = host.frozenUntilMs > timeline.now();
        if (isFrozen && (own || random.chance(0.5))) return timeline.at(host.frozenUntilMs, happen);
        const delay = random.chance(0.6) ? 0 : random.between(1, 10);
        const fault = !own && !realm.isCalm && random.chance(realm.scenario.faults) ? random.pick(FAULTS) : null;
        try {
          if (fault === 'before') throw new AppError('E_DISK', 'no space left on device');
          const value = effect();
          if (fault === 'after') throw new AppError('E_GIT', 'git was killed');
          deliver(realm, host, delay, () => resolve(value));
        } catch (error) {
          deliver(realm, host, delay, () => reject(error as Error));
        }
      };
      timeline.after(ms, happen);
    });
}
