import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withMutex } from '../processes/mutex.ts';
import { isAlive } from '../processes/identity.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';
import { holderOf } from './git-locks.ts';

const CHECK = 'litter';
/** Nothing we prepare takes this long. */
const OLD_MS = 60 * 60 * 1000;
/** To write a line takes milliseconds. */
const UNWRITTEN_MS = 10_000;

/** What killed processes of ours left in our own folder. It does no harm, and whoever meets it takes it over; it is only untidy. */
export function litterRepair({ repo }: RepairPlace): Repair {
  const locks = join(repo.stateDir, 'locks');
  const temporary = join(repo.stateDir, 'tmp');
  const dead = (): readonly string[] =>
    namesIfThere(locks)
      .toSorted()
      .filter((name) => isHeldByDead(join(locks, name)) || isUnwritten(join(locks, name)));
  const old = (): readonly string[] =>
    namesIfThere(temporary)
      .toSorted()
      .filter((name) => isOld(join(temporary, name)));
  return {
    check: CHECK,
    look: async () => [
      ...dead().map((name) => fixable(CHECK, `${join(locks, name)} was left by a process that is dead`)),
      ...old().map((name) => fixable(CHECK, `${join(temporary, name)} was left by a process that was killed`)),
    ],
    fix: async () => {
      const done: string[] = [];
      for (const name of dead()) {
        const path = join(locks, name);
        // A lock is taken over and given back: only its own rules say safely that nobody else took it meanwhile.
        if (name.includes('.tmp-')) rmSync(path, { force: true });
        else await withMutex(path, async () => {});
        done.push(`removed ${path}`);
      }
      for (const name of old()) {
        rmSync(join(temporary, name), { recursive: true, force: true });
        done.push(`removed ${join(temporary, name)}`);
      }
      return done;
    },
  };
}

function isHeldByDead(file: string): boolean {
  const holder = holderOf(file);
  return holder !== null && !isAlive(holder);
}

/** Begun by somebody who was killed, or had no room, before the first byte. */
function isUnwritten(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return file.includes('.tmp-') && stat?.size === 0 && Date.now() - stat.mtimeMs > UNWRITTEN_MS;
}

const isOld = (path: string): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > OLD_MS;
