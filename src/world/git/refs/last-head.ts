import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sha, sha } from '../../../core/model/ids.ts';

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
