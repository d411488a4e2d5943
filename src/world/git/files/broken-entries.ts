import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shellWord } from '../../../core/model/shell-word.ts';
import { filesBelow, namesIfThere } from '../../os/read-if-there.ts';
import { lastHead } from '../refs/look-up-ref.ts';
import type { Repository } from '../run/repository.ts';

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

/** Git needs milliseconds for what looks broken; a busy machine more. */
const LOOKS_MAX = 10;
/** While git says itself that it is at it. */
const LOOKS_AT_WORK_MAX = 30;
const BETWEEN_LOOKS_MS = 100;

/** The same, but for those that somebody is making at this moment: what changes from look to look, or is sound in the end. */
export async function findSettledBroken(repo: Repository): Promise<readonly BrokenEntry[]> {
  let left = findBrokenEntries(repo).map((entry) => ({ entry, mark: markOf(entry) }));
  for (let looks = 1; looks < LOOKS_AT_WORK_MAX && left.length > 0; looks += 1) {
    if (looks >= LOOKS_MAX && !left.some(({ entry }) => isBeingMade(entry.path))) break;
    await sleep(BETWEEN_LOOKS_MS);
    const now = new Set(findBrokenEntries(repo).map(markOf));
    left = left.filter(({ mark }) => now.has(mark));
  }
  return left.map(({ entry }) => entry);
}

const isBeingMade = (path: string): boolean => contentOf(join(path, 'locked')) === 'initializing';

function markOf({ path, why }: BrokenEntry): string {
  const times = ['', 'HEAD', 'commondir', 'gitdir'].map(
    (name) => lstatSync(join(path, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return [path, why, ...times].join(' ');
}

/**
 * How a person gets git going again, ready to paste. An entry may stand for a worktree that was whole once: it is mended or put
 * aside, never deleted, for what is staged there, and a HEAD on no branch, are nowhere else.
 */
export function remedyOf({ path, name }: BrokenEntry): string {
  const isHeadSound = HEAD.test(contentOf(join(path, 'HEAD')) ?? '');
  const head = isHeadSound ? null : headByReflog(path);
  const pointer = contentOf(join(path, 'gitdir')) ?? '';
  const isThere = existsSync(join(path, 'index')) && pointer !== '' && existsSync(pointer);
  const lacks = [
    ...((contentOf(join(path, 'commondir')) ?? '') === '' ? [['commondir', '../..'] as const] : []),
    ...(head === null ? [] : [['HEAD', head] as const]),
  ];
  if (isThere && (isHeadSound || head !== null) && lacks.length > 0)
    return lacks.map(([file, text]) => `echo ${shellWord(text)} > ${shellWord(join(path, file))}`).join(' && ');
  return `mv ${shellWord(path)} ${shellWord(join(path, '../..', `broken-worktree-${name}`))}`;
}

/** What HEAD should say, by the reflog beside it: a branch whose own last line is the same, or the last commit. */
function headByReflog(path: string): string | null {
  const folder = join(path, '../../logs/refs/heads');
  const line = lastLine(join(path, 'logs/HEAD'));
  const last = lastHead(path);
  if (last === null) return null;
  const log = filesBelow(folder).find((file) => lastLine(file) === line);
  return log === undefined ? last : `ref: refs/heads/${relative(folder, log)}`;
}

const lastLine = (file: string): string => contentOf(file)?.split('\n').at(-1) ?? '';

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
