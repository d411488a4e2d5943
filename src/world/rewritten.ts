import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../core/ids.ts';
import type { Sha } from '../core/ids.ts';
import { isAncestor } from './git/merge.ts';
import type { Repository } from './git/repository.ts';
import type { GitView } from './git/view.ts';

/** More than anybody amends while something lands. */
const VALUES_MAX = 50;
const TAIL_BYTES = 64 * 1024;

/** How the user's branch and integration came apart. */
export type Parting =
  /** The branch once held all of integration, and no longer does: its owner took that back. */
  | { readonly kind: 'taken-back' }
  /** The furthest value of the branch that integration holds; null: its past is not known. */
  | { readonly kind: 'apart'; readonly since: Sha | null };

/** Asks the branch's own reflog: amending, rebasing and resetting leave their traces nowhere else. */
export async function howParted(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  target: string,
  integration: Sha,
): Promise<Parting> {
  let since: Sha | null = null;
  for (const value of pastValues(repo, target)) {
    try {
      if (await isAncestor(view, integration, value)) return { kind: 'taken-back' };
      if (!(await isAncestor(view, value, integration))) continue;
      if (since === null || (await isAncestor(view, since, value))) since = value;
    } catch {
      // Collected as garbage since: older ones will be as well.
      break;
    }
  }
  return { kind: 'apart', since };
}

/** Where the branch stood, newest first. */
function pastValues(repo: Repository, target: string): readonly Sha[] {
  const lines = tailOf(join(repo.commonDir, 'logs/refs/heads', target)).split('\n');
  const values = lines.flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
  return [...new Set(values.toReversed())].slice(0, VALUES_MAX).map((value) => sha(value));
}

function tailOf(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8');
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
