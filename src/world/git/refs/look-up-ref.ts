import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../../core/model/ids.ts';
import { readRefFile } from './ref-files.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';

/** As `readRef`, for commands that most often need nothing else of git: a file tells, and the rest is not even loaded. */
export async function lookUpRef(repo: Repository, ref: string): Promise<Sha | null> {
  const found = readRefFile(repo.commonDir, ref);
  if (found !== undefined) return found;
  const { askRef } = await import('./ask-git.ts');
  return askRef(repo, ref);
}

/** Where HEAD last was, by its reflog. */
export function lastHead(adminDir: string): Sha | null {
  try {
    const line = readFileSync(join(adminDir, 'logs', 'HEAD'), 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1);
    const [from = '', to = ''] = line?.split(' ') ?? [];
    // Where git was told to delete it in this very worktree, the last line leads from there to nowhere.
    const last = /^0*$/.test(to) ? from : to;
    return /^0*$/.test(last) ? null : sha(last);
  } catch {
    return null;
  }
}
