import { readAdminNote, writeAdminNote } from './admin-note.ts';
import { adminDirOf, gitDirs, worktreeOf } from '../git/files/worktree-admin.ts';
import type { Repository } from '../git/run/repository.ts';
import { carriesOurLock } from './worktree-entries.ts';
import { linkLoop } from './loop-links.ts';
import type { LoopNote } from '../../core/model/events.ts';

/** Beside git's own files of the worktree: it stays when our folder goes, and goes when the worktree is removed. */
const NAME = 'paralph.json';
const TEXTS = ['loop', 'task', 'title', 'branch', 'base'] as const;

export interface NotedWorktree {
  readonly adminDir: string;
  readonly path: string;
  readonly note: LoopNote;
}

/** On the disk when it returns. */
export function writeLoopNote(repo: Repository, path: string, note: LoopNote): void {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return;
  writeAdminNote(adminDir, NAME, note);
  linkLoop(repo, note.loop, path);
}

/** Every worktree that carries our lock and a note, whether or not its folder is still there. */
export function notedWorktrees(repo: Repository): readonly NotedWorktree[] {
  return gitDirs(repo)
    .filter((dir) => dir !== repo.commonDir && carriesOurLock(dir))
    .flatMap((adminDir) => {
      const [path, note] = [worktreeOf(adminDir), readLoopNote(adminDir)];
      return path === null || note === null ? [] : [{ adminDir, path, note }];
    });
}

/** Null: none, or one that an agent or a crash spoiled. */
export function readLoopNote(adminDir: string): LoopNote | null {
  const note = readAdminNote(adminDir, NAME);
  const isWhole =
    note !== null && TEXTS.every((key) => typeof note[key] === 'string') && typeof note['attempt'] === 'number';
  return isWhole && /^[0-9a-f]{40,64}$/.test(String(note['base'])) ? (note as unknown as LoopNote) : null;
}
