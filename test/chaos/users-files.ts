import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { gitSays } from '../e2e/harness/git.ts';
import type { Scene } from './scene.ts';
import type { User } from './user.ts';

/** What a person has changed and not committed stays as it is, byte for byte, in files and index. */
export function filesComplaints({ repo, git }: Scene, { files, staged }: User): readonly string[] {
  const changed = [...files].filter(([path, text]) => contentOf(join(repo, path)) !== text);
  const unstaged = [...staged].filter(
    ([path, text]) => !gitSays(git, 'cat-file', '-e', `:${path}`) || `${git('show', `:${path}`)}\n` !== text,
  );
  return [
    ...changed.map(([path]) => `the user's uncommitted ${path} was changed`),
    ...unstaged.map(([path]) => `the user's staged ${path} was changed`),
  ];
}

const contentOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);
