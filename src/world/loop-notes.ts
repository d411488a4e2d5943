import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from './log/log-errors.ts';
import { adminDirOf, gitDirs, worktreeOf } from './git/worktree-admin.ts';
import type { Repository } from './git/repository.ts';
import { textIfThere } from './processes/read-if-there.ts';
import { carriesOurLock } from './git/worktree-entries.ts';
import type { LoopNote } from '../core/events.ts';

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
  const file = join(adminDir, NAME);
  try {
    const draft = openSync(`${file}.tmp`, 'w', 0o600);
    try {
      writeFileSync(draft, JSON.stringify(note));
      fsyncSync(draft);
    } finally {
      closeSync(draft);
    }
    renameSync(`${file}.tmp`, file);
    const folder = openSync(adminDir, 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw cannotWrite(adminDir, error);
  }
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
  try {
    const note = JSON.parse(textIfThere(join(adminDir, NAME)) || 'null') as Partial<Record<string, unknown>> | null;
    const isWhole =
      note !== null && TEXTS.every((key) => typeof note[key] === 'string') && typeof note['attempt'] === 'number';
    return isWhole && /^[0-9a-f]{40,64}$/.test(String(note['base'])) ? (note as unknown as LoopNote) : null;
  } catch {
    return null;
  }
}
