import { sha } from '../../core/ids.ts';
import type { Sha } from '../../core/ids.ts';
import { identityEnvironment } from './identity.ts';
import type { Identity } from './identity.ts';
import { knowTree } from './tree-edit.ts';
import type { GitView } from './view.ts';

export interface NewCommit {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly message: string;
  readonly identity: Identity;
  /** Who made the work, where that is somebody else. */
  readonly author?: Identity;
  /** When the work was made. Default: now. */
  readonly authorDateMs?: number;
}

/** Writes a commit object; no ref names it yet. */
export async function commitTree(view: GitView, commit: NewCommit): Promise<Sha> {
  const env = identityEnvironment(commit.identity);
  if (commit.author !== undefined) {
    env['GIT_AUTHOR_NAME'] = commit.author.name;
    env['GIT_AUTHOR_EMAIL'] = commit.author.email;
  }
  if (commit.authorDateMs !== undefined) env['GIT_AUTHOR_DATE'] = gitDate(commit.authorDateMs);
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  const message = commit.message.endsWith('\n') ? commit.message : `${commit.message}\n`;
  const made = await view.run(['commit-tree', ...parents, '-F', '-', commit.tree], { input: message, env });
  const id = sha(made.stdout.trim());
  knowTree(view, id, commit.tree);
  return id;
}

/** Seconds and the offset of the local clock, as git writes dates itself. */
function gitDate(ms: number): string {
  const eastMinutes = -new Date(ms).getTimezoneOffset();
  const minutes = Math.abs(eastMinutes);
  const offset = `${Math.floor(minutes / 60)}`.padStart(2, '0') + `${minutes % 60}`.padStart(2, '0');
  return `@${Math.floor(ms / 1000)} ${eastMinutes < 0 ? '-' : '+'}${offset}`;
}
