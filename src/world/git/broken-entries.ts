import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIfThere } from '../processes/read-if-there.ts';
import type { Repository } from './repository.ts';

export interface BrokenEntry {
  readonly name: string;
  /** The entry below the common git folder, not the checkout. */
  readonly path: string;
  readonly why: string;
  /** True when ordinary git commands in the whole repository die of it; false when git passes it over. */
  readonly blocks: boolean;
}

/** Worktree entries that a `git worktree add` ended half-way leaves behind. Found without git, which may not start on them. */
export function findBrokenEntries(repo: Repository): BrokenEntry[] {
  const folder = join(repo.commonDir, 'worktrees');
  return namesIfThere(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const fault = faultOf(path);
      return fault === null ? [] : [{ name, path, ...fault }];
    });
}

function faultOf(path: string): { readonly why: string; readonly blocks: boolean } | null {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return null;
  const commondir = contentOf(join(path, 'commondir'));
  const head = contentOf(join(path, 'HEAD'));
  const gitdir = contentOf(join(path, 'gitdir'));
  if (commondir === '') return { why: 'commondir is empty', blocks: true };
  if (head !== null && /^0+$/.test(head)) return { why: 'HEAD names no commit', blocks: true };
  if (commondir === null) return { why: 'commondir is missing', blocks: false };
  if (head === null || head === '') return { why: 'HEAD is missing or empty', blocks: false };
  if (!/^(ref: refs\/.+|[0-9a-f]{40,64})$/.test(head))
    return { why: 'HEAD is neither a ref nor a commit', blocks: false };
  if (gitdir === null || gitdir === '') return { why: 'gitdir is missing or empty', blocks: false };
  return null;
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
