import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, writePrivately } from './agent-run/agent-file.ts';
import type { Repository } from './git/repository.ts';
import { cannotWrite } from './log/log-errors.ts';
import type { ProcessIdentity } from './processes/identity.ts';
import { isAlive, ownIdentity } from './processes/identity.ts';
import { namesIfThere } from './processes/read-if-there.ts';
import { checkoutKey } from './state-places.ts';

const LOOK_AGAIN_MS = 200;

/** Resolves with what `attempt` gives once it is this caller's turn and it gives something; null: the signal came first. */
export async function waitInLine<T>(
  repo: Repository,
  checkout: string,
  options: {
    readonly attempt: () => Promise<T | null>;
    /** Called with the place in the line whenever it changes; 1 is next. */
    readonly onPlace: (place: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<T | null> {
  const folder = join(repo.stateDir, 'waiting', checkoutKey(checkout));
  const name = enter(folder);
  try {
    for (let before = 0; !options.signal.aborted;) {
      const place = placeOf(folder, name);
      if (place === 1) {
        const got = await options.attempt();
        if (got !== null) return got;
      }
      if (place !== before) options.onPlace(place);
      before = place;
      await pauseUnless(options.signal);
    }
    return null;
  } finally {
    rmSync(join(folder, name), { force: true });
  }
}

/** Names sort by when their owners came. Whole or not at all: one that says nothing is taken for a dead one's. */
function enter(folder: string): string {
  const own = ownIdentity();
  const name = `${String(Date.now()).padStart(15, '0')}-${own.pid}.json`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writePrivately(join(folder, name), JSON.stringify(own));
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return name;
}

/** Those who died in the line leave it. */
function placeOf(folder: string, own: string): number {
  const ahead = namesIfThere(folder)
    .filter((name) => name.endsWith('.json') && name < own)
    .filter((name) => {
      const owner = readJsonFile(join(folder, name)) as ProcessIdentity | null;
      if (owner !== null && isAlive(owner)) return true;
      rmSync(join(folder, name), { force: true });
      return false;
    });
  return ahead.length + 1;
}

function pauseUnless(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LOOK_AGAIN_MS);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
