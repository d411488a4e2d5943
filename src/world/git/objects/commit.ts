import { sha } from '../../../core/model/ids.ts';
import { identityEnvironment, SIGNING_TIMEOUT_MS, signingArgs, signingFailed } from '../run/identity.ts';
import { writeObject } from './loose-objects.ts';
import { knowTree } from './trees.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Identity, Signing } from '../run/identity.ts';
import type { GitView, ViewOptions } from '../run/view.ts';

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
  const isPlain = commit.identity.signing == null && isWritable(commit);
  const id = isPlain ? await writePlain(view, commit) : await makeByGit(view, commit);
  knowTree(view, id, commit.tree);
  return id;
}

/** Nothing in it that git would clean or refuse. */
function isWritable({ identity, author = identity, message }: NewCommit): boolean {
  const names = [identity.name, identity.email, author.name, author.email];
  return !message.includes('\0') && names.every((name) => /^[^\s<>\p{Cc}](?:[^<>\p{Cc}]*[^\s<>\p{Cc}])?$/u.test(name));
}

function writePlain(view: GitView, commit: NewCommit): Promise<Sha> {
  const { tree, parents, identity, author = identity } = commit;
  const nowMs = Date.now();
  const signed = ({ name, email }: Identity, ms: number): string => `${name} <${email}> ${gitDate(ms)}`;
  const lines = [
    `tree ${tree}`,
    ...new Set(parents.map((parent) => `parent ${parent}`)),
    `author ${signed(author, commit.authorDateMs ?? nowMs)}`,
    `committer ${signed(identity, nowMs)}`,
    '',
    ended(commit.message),
  ];
  return writeObject(view, 'commit', Buffer.from(lines.join('\n')));
}

const ended = (message: string): string => (message.endsWith('\n') ? message : `${message}\n`);

async function makeByGit(view: GitView, commit: NewCommit): Promise<Sha> {
  const env = identityEnvironment(commit.identity);
  if (commit.author !== undefined) {
    env['GIT_AUTHOR_NAME'] = commit.author.name;
    env['GIT_AUTHOR_EMAIL'] = commit.author.email;
  }
  if (commit.authorDateMs !== undefined) env['GIT_AUTHOR_DATE'] = `@${gitDate(commit.authorDateMs)}`;
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  const args = [...parents, '-F', '-', commit.tree];
  const options = { input: ended(commit.message), env };
  const made =
    commit.identity.signing == null
      ? (await view.run(['commit-tree', ...args], options)).stdout
      : await makeSigned(view, args, options, commit.identity.signing);
  return sha(made.trim());
}

async function makeSigned(
  view: GitView,
  args: readonly string[],
  options: ViewOptions,
  signing: Signing,
): Promise<string> {
  const { before, after } = signingArgs(signing);
  const patience = { ...options, ok: [0, 1, 128], timeoutMs: SIGNING_TIMEOUT_MS };
  const made = await view.run([...before, 'commit-tree', after, ...args], patience);
  if (made.code !== 0) throw signingFailed(made.stderr);
  return made.stdout;
}

/** Seconds and the offset of the local clock, as git writes dates itself. */
function gitDate(ms: number): string {
  const eastMinutes = -new Date(ms).getTimezoneOffset();
  const minutes = Math.abs(eastMinutes);
  const offset = `${Math.floor(minutes / 60)}`.padStart(2, '0') + `${minutes % 60}`.padStart(2, '0');
  return `${Math.floor(ms / 1000)} ${eastMinutes < 0 ? '-' : '+'}${offset}`;
}
