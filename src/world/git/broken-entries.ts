import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../core/remedy.ts';
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

/**
 * How a person gets git going again, ready to paste. An entry with an index stands for a worktree that was whole once: it is
 * mended or put aside, never deleted, for what is staged there, and a HEAD on no branch, are nowhere else.
 */
export function remedyOf({ path, name }: BrokenEntry): string {
  if (!existsSync(join(path, 'index'))) return `rm -rf ${shellWord(path)}`;
  const isHeadSound = HEAD.test(contentOf(join(path, 'HEAD')) ?? '');
  const pointer = contentOf(join(path, 'gitdir')) ?? '';
  const file = join(path, 'commondir');
  if (isHeadSound && pointer !== '' && existsSync(pointer) && (contentOf(file) ?? '') === '')
    return `echo ../.. > ${shellWord(file)}`;
  return `mv ${shellWord(path)} ${shellWord(join(path, '../..', `broken-worktree-${name}`))}`;
}

const HEAD = /^(ref: refs\/.+|(?!0+$)[0-9a-f]{40,64})$/;

function faultOf(path: string): { readonly why: string; readonly blocks: boolean } | null {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return null;
  const commondir = contentOf(join(path, 'commondir'));
  const head = contentOf(join(path, 'HEAD'));
  const gitdir = contentOf(join(path, 'gitdir'));
  if (commondir === '') return { why: 'commondir is empty', blocks: true };
  if (head !== null && /^0+$/.test(head)) return { why: 'HEAD names no commit', blocks: true };
  if (commondir === null) return { why: 'commondir is missing', blocks: false };
  if (head === null || head === '') return { why: 'HEAD is missing or empty', blocks: false };
  if (!HEAD.test(head)) return { why: 'HEAD is neither a ref nor a commit', blocks: false };
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
