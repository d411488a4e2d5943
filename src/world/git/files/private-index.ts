import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, copyFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../../core/model/ids.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';
import type { GitBytes } from '../run/run-git.ts';
import type { GitView } from '../run/view.ts';

/** An index of our own, for a while, in front of somebody's files. Names are bytes as latin1 characters, for they need not be text. */
export interface PrivateIndex {
  readonly file: string;
  git(args: readonly string[], input?: string): Promise<GitBytes>;
  /** What a command with `-z` prints. */
  list(...args: readonly string[]): Promise<readonly string[]>;
  /** Hands names to a command with `-z --stdin`; none costs nothing. */
  feed(args: readonly string[], names: readonly string[]): Promise<void>;
  writeTree(): Promise<Sha>;
}

/** Runs through the view: no filter, hook or setting of the repository plays a part. `folder` null: there are no files. */
export async function withPrivateIndex<T>(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  folder: string | null,
  act: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  const temporary = join(repo.stateDir, 'tmp');
  const file = join(temporary, `index-${randomUUID()}`);
  mkdirSync(temporary, { recursive: true });
  const options = { env: { GIT_INDEX_FILE: file }, ...(folder === null ? {} : { workTree: folder }) };
  const git: PrivateIndex['git'] = (args, input = '') =>
    view.bytes(args, { ...options, input: Buffer.from(input, 'latin1') });
  const list: PrivateIndex['list'] = async (...args) => {
    const { stdout } = await git(args);
    const names = stdout.toString('latin1').split('\0');
    return names.filter((name) => name !== '');
  };
  const feed: PrivateIndex['feed'] = async (args, names) => {
    if (names.length > 0) await git([...args, '-z', '--stdin'], names.join('\0'));
  };
  const writeTree = async (): Promise<Sha> => sha((await git(['write-tree'])).stdout.toString().trim());
  try {
    return await act({ file, git, list, feed, writeTree });
  } finally {
    for (const name of [file, `${file}.lock`]) rmSync(name, { force: true });
  }
}

/** Replaces everything in it: `mode id stage<TAB>path` each. */
export async function fillIndex(index: PrivateIndex, entries: readonly string[]): Promise<void> {
  await index.git(['read-tree', '--empty']);
  if (entries.length > 0) await index.git(['update-index', '-z', '--index-info'], entries.join('\0') + '\0');
}

/**
 * Copies an index with its age. git knows files by size and second; one changed in the second the index was written is read
 * again only because the index is no younger than it, and a copy made later would hide the change.
 */
export function copyIndex(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  // Rounded down, and asked before the copy, for somebody may write it meanwhile: younger would be wrong, older only costs time.
  const seconds = Math.floor(statSync(from).mtimeMs) / 1000;
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}
