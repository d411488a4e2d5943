import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { addWorktree, removeWorktree } from '../../../src/world/worktrees/worktrees.ts';
import { type KeepPlace, type Kept, keepWorktree } from '../../../src/world/keep/keep.ts';
import { type Keep, listKeeps } from '../../../src/world/keep/list-keeps.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

export const BRANCH = 'ralph/task-1';
export const LOOP = loopId('task-1-ab12');

/** A repository with one worktree of ours, where a test may do what agents do. */
export interface KeepScene {
  readonly scratch: ScratchRepo;
  readonly place: KeepPlace;
  readonly base: Sha;
  readonly root: string;
  readonly path: string;
  git(...args: string[]): string;
  put(name: string, content: string): void;
  keep(options?: { readonly always?: boolean }): Promise<Kept | null>;
  find(id: string | undefined): Promise<Keep>;
  /** Removes the worktree and its branch, as if nobody had cared. */
  lose(): Promise<void>;
}

export async function keepScene(files: Readonly<Record<string, string>>): Promise<KeepScene> {
  const scratch = scratchRepo({ files });
  const repo = findRepository(scratch.dir);
  const base = sha(scratch.git('rev-parse', 'HEAD'));
  const root = join(dirname(scratch.dir), 'trees');
  const path = join(root, 'one');
  await addWorktree(repo, { path, branch: BRANCH, base, reason: 'paralph worktree' });
  const identity = { name: 'Ada Test', email: 'ada@example.test' };
  const place: KeepPlace = { repo, view: await openView(repo), identity, ignored: ['.env*'] };
  return {
    scratch,
    place,
    base,
    root,
    path,
    git: (...args) => gitIn(path, ...args),
    put: (name, content) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    },
    keep: (options = {}) =>
      keepWorktree(place, { path, branch: BRANCH, loop: LOOP, act: 'discard', why: 'a test', ...options }),
    find: async (id) => {
      const keep = (await listKeeps(place.view)).find((one) => one.id === id);
      if (keep === undefined) throw new Error(`no keep ${id ?? 'at all'}`);
      return keep;
    },
    lose: async () => {
      await removeWorktree(repo, { path, worktreeRoot: root });
      const tips = scratch.git('for-each-ref', '--format=%(refname)', `refs/heads/${BRANCH}`);
      if (tips !== '') scratch.git('update-ref', '-d', `refs/heads/${BRANCH}`);
      // What no ref reaches must not be what comes back.
      scratch.git('reflog', 'expire', '--expire=now', '--all');
      scratch.git('gc', '-q', '--prune=now');
    },
  };
}

/** Every file with its kind, mode and bytes, and what git says of HEAD, index and files. */
export function portrait(path: string): Record<string, string> {
  const shown: Record<string, string> = {};
  look(Buffer.from(path), '', shown);
  shown['(status)'] = gitIn(path, 'status', '--porcelain=v2', '-z', '--branch', '--no-renames', '-uall');
  shown['(index)'] = gitIn(path, 'ls-files', '-s', '-z');
  return shown;
}

/** By bytes, for names need not be text. */
function look(folder: Buffer, above: string, shown: Record<string, string>): void {
  for (const name of readdirSync(folder, 'buffer')) {
    const file = Buffer.concat([folder, Buffer.from('/'), name]);
    const stat = lstatSync(file);
    const shownName = above + name.toString('latin1');
    if (shownName === '.git') continue;
    if (stat.isDirectory()) look(file, `${shownName}/`, shown);
    else if (stat.isSymbolicLink()) shown[shownName] = `link ${readlinkSync(file)}`;
    else shown[shownName] = `${(stat.mode & 0o111) === 0 ? '' : 'x '}${readFileSync(file).toString('latin1')}`;
  }
}
