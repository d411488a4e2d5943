import { type Change, GITLINK, indexLine, onDisk, shown } from '../git/objects/raw-changes.ts';
import { classify, contentIds, isAsPublished } from './publish-classify.ts';
import { findBlockers, statOf } from './publish-blockers.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { GitView } from '../git/run/view.ts';

interface Move {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/**
 * Local files that are byte for byte what is published, or what it was made from, are not in its way, whoever wrote them: a
 * loop that worked in place did. Nothing is lost, for the history that is published holds it. What is left is in the way; if
 * anything is, index and files stay as they were.
 */
export async function acceptSame(
  worktree: string,
  view: GitView,
  move: Move,
  blockers: readonly string[],
): Promise<readonly string[]> {
  const named = new Set(blockers.map(nameIn));
  const concerned = move.changes.filter(({ path }) => named.has(shown(path)));
  const seen = await classify(worktree, view, concerned);
  const links = concerned.filter(({ after }) => after?.mode === GITLINK);
  const standing = new Set(await filterAsync(links, (change) => standsAt(worktree, change)));
  const isThere = (one: (typeof seen)[number]): boolean => isAsPublished(one) || standing.has(one.change);
  const same = seen.filter(isThere).map(({ change }) => change);
  const others = seen.filter((one) => !isThere(one)).map(({ change }) => change);
  const older = await heldByHistory(worktree, view, move, others);
  const settled = new Set([...same, ...older].map(({ path }) => shown(path)));
  const left = blockers.filter((line) => !settled.has(nameIn(line)));
  if (left.length > 0 || settled.size === 0) return left;
  if (!(await stage(worktree, [...same, ...older]))) return blockers;
  if (!(await write(worktree, older))) return blockers;
  // Between the look and this a file may have changed again.
  const found = await findBlockers(worktree, move.changes);
  return found.filter((line) => !settled.has(nameIn(line)) || line.endsWith(' (modified)'));
}

async function filterAsync<T>(all: readonly T[], isMeant: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const answers = await Promise.all(all.map(isMeant));
  return all.filter((_, at) => answers[at]);
}

/** A submodule that stands at the very commit already. Without a repository of its own, git would tell of the one around it. */
async function standsAt(worktree: string, { path, after }: Change): Promise<boolean> {
  if (statOf(worktree, path)?.isDirectory() !== true) return false;
  const cwd = onDisk(worktree, path).toString();
  const { stdout } = await runGit([...HARDENED, 'rev-parse', '--show-prefix', 'HEAD'], { cwd, ok: [0, 128] });
  return stdout === `\n${after?.id}\n`;
}

const nameIn = (line: string): string => line.replace(/ \([a-z]+\)$/, '');

/** Plain files whose bytes are their version in a commit that is about to be published. */
async function heldByHistory(
  worktree: string,
  view: GitView,
  { from, to }: Move,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const plain = changes.filter(({ after }) => after?.mode.startsWith('100') === true);
  if (plain.length === 0) return [];
  const log = ['log', '-m', '--format=', '--raw', '-z', '--no-renames', '--no-abbrev', `${from}..${to}`];
  const { stdout } = await view.bytes(log);
  const versions = versionsIn(stdout.toString('latin1'));
  const ids = await contentIds(worktree, plain).catch(() => []);
  return plain.filter(({ path }, at) => versions.has(`${ids[at] ?? ''} ${path}`));
}

/** `:mode mode id id status` and a path, one after the other; as `id path`. */
function versionsIn(raw: string): ReadonlySet<string> {
  const fields = raw.split('\0');
  const versions = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const [, , , id] = /^\n?:\d/.test(fields[at] ?? '') ? (fields[at] ?? '').trimStart().split(' ') : [];
    if (id !== undefined) versions.add(`${id} ${fields[at + 1] ?? ''}`);
  }
  return versions;
}

async function stage(worktree: string, changes: readonly Change[]): Promise<boolean> {
  return git(worktree, ['update-index', '-z', '--index-info'], changes.map(indexLine).join(''));
}

async function write(worktree: string, changes: readonly Change[]): Promise<boolean> {
  if (changes.length === 0) return true;
  const names = changes.map(({ path }) => path).join('\0');
  return git(worktree, ['checkout-index', '-f', '-u', '-z', '--stdin'], names);
}

async function git(worktree: string, args: readonly string[], input: string): Promise<boolean> {
  const bytes = Buffer.from(input, 'latin1');
  return (await runGit([...HARDENED, ...args], { cwd: worktree, input: bytes, ok: [0, 1, 128] })).code === 0;
}
