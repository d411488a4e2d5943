import { toIdentity } from './identity.ts';
import { processSource } from './process-source.ts';
import type { ProcessIdentity } from './identity.ts';

export interface MarkedProcess {
  readonly identity: ProcessIdentity;
  readonly token: string;
  readonly loop: string | null;
}

/** Every living process, but this one, that carries any token of ours. */
export function findAllMarked(): MarkedProcess[] {
  const marked: MarkedProcess[] = [];
  for (const entry of processSource.list()) {
    if (entry.token === null || entry.pid === process.pid) continue;
    marked.push({ identity: toIdentity(entry), token: entry.token, loop: entry.loop });
  }
  return marked;
}
