import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { sha } from '../../core/model/ids.ts';
import { readJsonFile, writePrivately } from '../os/files.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { adminDirOf, gitDirs, worktreeOf } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { openCheckoutLook } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import { lookAtGitFiles } from './git-files.ts';
import type { GitFiles } from './git-files.ts';

/** How everything outside an agent's worktree was at one moment. */
export interface Fingerprint {
  readonly version: 1;
  readonly atMs: number;
  readonly refs: Readonly<Record<string, Sha>>;
  /** The stash, as its reflog tells it. */
  readonly stash: string;
  /** HEAD of the main checkout: its text, and the commit. */
  readonly head: string;
  readonly headCommit: Sha | null;
  /** The admin folder of every linked worktree: where the worktree is, and its HEAD. */
  readonly worktrees: Readonly<Record<string, { readonly path: string | null; readonly head: string }>>;
  /** Null: the agent's own folder was no sound worktree. */
  readonly own: { readonly adminDir: string; readonly pointer: string } | null;
  readonly files: GitFiles;
  /** Null: nobody has a checkout beside the git folder, or it cannot be read. */
  readonly checkout: Checkout | null;
}

const NAME = 'seal.json';
/** They change with every fetch, keep and iteration, and nobody works on them. */
const UNWATCHED = /^refs\/(?:remotes|paralph\/(?:keep|undone|stash|train|view))(?:\/|$)/;

/** What is the same for whoever looks at that moment. */
export type Surroundings = Omit<Fingerprint, 'version' | 'atMs' | 'own'>;

export async function takeFingerprint(
  repo: Repository,
  cwd: string,
  look: () => Promise<Surroundings>,
): Promise<Fingerprint> {
  const atMs = Date.now();
  const around = await look();
  return { version: 1, atMs, ...around, own: ownOf(repo, cwd) };
}

/** One look at everything outside of the agents' own worktrees. */
export function openSurroundings(repo: Repository, view: GitView): () => Promise<Surroundings> {
  const lookAtCheckout = openCheckoutLook(repo, view);
  return async () => {
    const [refs, checkout] = await Promise.all([watchedRefs(view), lookAtCheckout()]);
    return {
      refs,
      stash: textIfThere(join(repo.commonDir, 'logs/refs/stash')),
      head: textIfThere(join(repo.commonDir, 'HEAD')),
      headCommit: readHeadFile(repo.commonDir, repo.commonDir)?.commit ?? null,
      worktrees: Object.fromEntries(
        gitDirs(repo)
          .filter((dir) => dir !== repo.commonDir)
          .map((dir) => [dir, { path: worktreeOf(dir), head: textIfThere(join(dir, 'HEAD')) }]),
      ),
      files: lookAtGitFiles(repo.commonDir),
      checkout,
    };
  };
}

async function watchedRefs(view: GitView): Promise<Fingerprint['refs']> {
  const { stdout } = await view.run(['for-each-ref', '--format=%(objectname) %(refname)']);
  const lines = stdout.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line] as const);
  const watched = lines.filter(([ref]) => ref !== '' && !UNWATCHED.test(ref));
  return Object.fromEntries(watched.map(([ref, line]) => [ref, sha(line.slice(0, line.indexOf(' ')))]));
}

function ownOf(repo: Repository, cwd: string): Fingerprint['own'] {
  const adminDir = adminDirOf(repo, cwd);
  const pointer = textIfThere(join(cwd, '.git'));
  return adminDir === null || !pointer.startsWith('gitdir: ') ? null : { adminDir, pointer };
}

export const writeFingerprint = (dir: string, print: Fingerprint): void =>
  writePrivately(join(dir, NAME), JSON.stringify(print));

/** Null: there is none that can be read. */
export function readFingerprint(dir: string): Fingerprint | null {
  const value = readJsonFile(join(dir, NAME)) as Partial<Fingerprint> | null;
  return value?.version === 1 ? (value as Fingerprint) : null;
}
