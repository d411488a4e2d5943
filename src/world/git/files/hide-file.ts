import { closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository } from '../run/repository.ts';

/** Makes git pass over one file or folder/ of a worktree, by its path in it; false: it cannot be told to. The list is shared by all worktrees. */
export function hideFromGit(worktree: string, name: string): boolean {
  try {
    const folder = join(findRepository(worktree).commonDir, 'info');
    mkdirSync(folder, { recursive: true });
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const fd = openSync(join(folder, 'exclude'), flags, 0o644);
    try {
      const text = readFileSync(fd, 'utf8');
      const line = `/${name.replaceAll(/[\\[\]*?#! ]/g, String.raw`\$&`)}`;
      if (text.split('\n').includes(line)) return true;
      writeSync(fd, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
      return true;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
