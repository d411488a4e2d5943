import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../contract/finding.ts';
import type { Repository } from '../git/run/repository.ts';
import { sentence, wakes } from '../processes/mutex-waits.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { isStopped } from '../processes/identity.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { foreign } from './repair.ts';

/** Mutexes of ours whose holders are suspended: everybody who needs one waits, and only a person can wake its holder. */
export function suspendedHolders(check: string, repo: Repository): readonly Finding[] {
  const folder = join(repo.stateDir, 'locks');
  return namesIfThere(folder)
    .filter((name) => !name.includes('.tmp-'))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const holder = holderOf(path);
      if (holder === null || !isStopped(holder)) return [];
      return [foreign(check, 'warn', `${sentence(path, holder, true)}; others wait for it`, wakes(holder))];
    });
}

/** Null: no mutex of ours, or one that cannot be read. */
export function holderOf(path: string): ProcessIdentity | null {
  try {
    const { pid, startTime, bootId } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessIdentity>;
    const isOne = typeof pid === 'number' && typeof startTime === 'string' && typeof bootId === 'string';
    return isOne ? { pid, startTime, bootId } : null;
  } catch {
    return null;
  }
}
