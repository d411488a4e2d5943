import { closeSync, openSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Sha } from '../../../core/model/ids.ts';
import { readIfThere, textIfThere } from '../../os/read-if-there.ts';
import type { GitView } from '../run/view.ts';

/**
 * Deletes a ref of ours that lies in a file of its own and nowhere else, by git's own rules: its lock first. False: only
 * git can do it (packed, locked, moved).
 */
export function deleteLooseRef(view: GitView, ref: string, commit: Sha): boolean {
  const file = join(view.refsDir, ref);
  const lock = `${file}.lock`;
  try {
    if (readIfThere(join(view.refsDir, 'packed-refs'))?.includes(` ${ref}\n`) === true) return false;
    closeSync(openSync(lock, 'wx'));
  } catch {
    return false;
  }
  try {
    if (textIfThere(file).trimEnd() !== commit) return false;
    rmSync(file);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(lock, { force: true });
    removeIfEmpty(dirname(file));
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else keeps something there.
  }
}
