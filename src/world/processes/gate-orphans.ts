import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readIfThere } from '../os/read-if-there.ts';
import { stopTree } from './stop-tree.ts';

const GRACE_MS = 1000;

/** Notes beside each of these places whose processes use it while `act` runs: should we die, the next one in can end them. */
export async function withNotes<T>(files: readonly string[], token: string, act: () => Promise<T>): Promise<T> {
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, token);
  }
  try {
    return await act();
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}

/** Ends the gate of a host that died: it still runs, and would go on in a place that is given to another. */
export async function stopNoted(file: string): Promise<void> {
  const token = readIfThere(file)?.toString().trim() ?? '';
  if (/^[\w.:-]{1,200}$/.test(token)) await stopTree({ identity: null, token, graceMs: GRACE_MS });
  rmSync(file, { force: true });
}
