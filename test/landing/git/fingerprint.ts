import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScratchRepo } from '../../world/scratch.ts';

export interface Fingerprint {
  readonly branch: string;
  readonly head: string;
  readonly stash: string;
  readonly config: string;
  /** What is not committed, with its content. */
  readonly dirty: string;
  readonly hooks: string;
}

/** Everything of the user's checkout that landing must leave alone. */
export function fingerprint({ dir, git }: ScratchRepo): Fingerprint {
  const read = (path: string): string => readFileSync(join(dir, path), 'utf8');
  const status = git('status', '--porcelain', '--ignored', '--untracked-files=all')
    .split('\n')
    .filter((line) => !line.includes('.ralph/'))
    .sort();
  return {
    branch: git('symbolic-ref', 'HEAD'),
    head: git('rev-parse', 'HEAD'),
    stash: git('stash', 'list'),
    config: read('.git/config'),
    dirty: JSON.stringify([status, read('notes.txt'), read('mine.txt'), read('debug.log')]),
    hooks: readdirSync(join(dir, '.git', 'hooks'))
      .sort()
      .join(' '),
  };
}
