import { dirname, join } from 'node:path';
import { invariant } from '../../../core/model/assert.ts';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { reach } from '../../os/failpoint.ts';
import { lockInTheWay, outlastLock } from '../run/dead-lock.ts';
import { readRefFile } from './ref-files.ts';
import type { GitResult } from '../run/run-git.ts';
import { syncFilesystem } from '../../os/disk.ts';
import type { GitView } from '../run/view.ts';

export type RefMove = { readonly moved: true } | { readonly moved: false; readonly now: Sha | null };

/** The commit a full ref name points to, or null when there is no such ref. A damaged ref throws: it is not an absent one. */
export async function readRef(view: GitView, ref: string): Promise<Sha | null> {
  invariant(ref.startsWith('refs/'), `not a full ref name: ${ref}`);
  const read = readRefFile(view.refsDir, ref);
  if (read !== undefined) return read;
  const listed = await list(view, ref);
  if (listed.stderr.includes(`broken ref ${ref}\n`)) {
    throw new AppError('E_GIT', `${ref} is damaged`, { facts: [listed.stderr.trim()] });
  }
  return listed.refs.get(ref) ?? null;
}

/** Every readable ref that is `prefix` or lies below it. */
export async function listRefs(view: GitView, prefix: string): Promise<ReadonlyMap<string, Sha>> {
  return (await list(view, prefix.replace(/\/$/, ''))).refs;
}

interface Listed {
  readonly refs: ReadonlyMap<string, Sha>;
  readonly stderr: string;
}

async function list(view: GitView, prefix: string): Promise<Listed> {
  invariant(prefix.startsWith('refs/'), `not a full ref name: ${prefix}`);
  const { stdout, stderr } = await view.run(['for-each-ref', '--format=%(objectname) %(refname)', prefix]);
  const refs = new Map<string, Sha>();
  for (const line of stdout.split('\n')) {
    const cut = line.indexOf(' ');
    if (cut !== -1) refs.set(line.slice(cut + 1), sha(line.slice(0, cut)));
  }
  return { refs, stderr };
}

/** Moves a ref only if it still is at `from` (null: only if it does not exist). Losing that race is an answer, not an error. */
export async function moveRef(view: GitView, ref: string, to: Sha, from: Sha | null, reason: string): Promise<RefMove> {
  invariant(ref.startsWith('refs/'), `not a full ref name: ${ref}`);
  invariant(/^[0-9a-f]{40,64}$/.test(to) && !/^0+$/.test(to), `not an object id: ${to}`);
  const expected = from ?? '0'.repeat(to.length);
  // Without following: a ref that was replaced by a pointer to another must not move that other one.
  const args = ['update-ref', '--no-deref', '-m', oneLine(reason), ref, to, expected];
  const update = await runPastLocks(view, ref, args);
  if (update.code === 0) return { moved: true };
  const now = await readRef(view, ref);
  if (now !== from) return { moved: false, now };
  throw refused(view, `${ref} could not be moved to ${to}`, update.stderr);
}

/** Refs that only git changes, and only for us: a lock on them that nobody holds any more would stop every landing. */
const OURS = /^refs\/(paralph\/int|heads\/ralph)\//;

/** A git of ours that was killed half-way leaves a lock on the ref. */
async function runPastLocks(view: GitView, ref: string, args: readonly string[], input?: string): Promise<GitResult> {
  const options = { ok: [0, 1, 128], ...(input === undefined ? {} : { input }) };
  const update = await view.run(args, options);
  const lock = update.code === 0 || !OURS.test(ref) ? null : lockInTheWay(update.stderr);
  if (lock === null || !lock.endsWith(`/${ref}.lock`)) return update;
  const isGone = await outlastLock(lock, { folder: dirname(view.refsDir), mentions: view.refsDir });
  return isGone ? view.run(args, options) : update;
}

/**
 * The same, and safe against a power cut: everything the new commit needs is on disk before the ref names it, and the ref
 * is on disk when this resolves.
 */
export function landRef(view: GitView, ref: string, to: Sha, from: Sha | null, reason: string): Promise<RefMove> {
  return flushed(view, ref, () => moveRef(view, ref, to, from, reason));
}

async function flushed(view: GitView, ref: string, act: () => Promise<RefMove>): Promise<RefMove> {
  await syncFilesystem(join(view.gitDir, 'objects'));
  reach('land.before_cas');
  const move = await act();
  reach('land.after_cas');
  if (move.moved) await syncFilesystem(join(view.gitDir, dirname(ref)));
  reach('land.synced');
  return move;
}

/**
 * As `landRef`, while another ref, `hold`, is there: git looks at both under their locks. Who has deleted the hold may be
 * sure that nothing moves any more, however late a process goes on that was suspended before this.
 */
export function landWhileHeld(view: GitView, land: HeldMove): Promise<RefMove> {
  return flushed(view, land.ref, () => moveWhileHeld(view, land));
}

export interface HeldMove {
  readonly ref: string;
  readonly to: Sha;
  readonly from: Sha;
  readonly hold: string;
  readonly reason: string;
}

async function moveWhileHeld(view: GitView, { ref, to, from, hold, reason }: HeldMove): Promise<RefMove> {
  const held = await readRef(view, hold);
  if (held === null) return { moved: false, now: await readRef(view, ref) };
  const lines = ['start', 'option no-deref', `update ${ref} ${to} ${from}`, `verify ${hold} ${held}`, 'commit', ''];
  const args = ['update-ref', '-m', oneLine(reason), '--stdin'];
  const update = await runPastLocks(view, ref, args, lines.join('\n'));
  if (update.code === 0) return { moved: true };
  const now = await readRef(view, ref);
  if (now !== from || (await readRef(view, hold)) !== held) return { moved: false, now };
  throw refused(view, `${ref} could not be moved to ${to}`, update.stderr);
}

/** Deletes a ref if it still is at `expected`; false when it is elsewhere or gone. */
export async function deleteRef(view: GitView, ref: string, expected: Sha): Promise<boolean> {
  invariant(ref.startsWith('refs/'), `not a full ref name: ${ref}`);
  const update = await runPastLocks(view, ref, ['update-ref', '--no-deref', '-d', ref, expected]);
  if (update.code === 0) return true;
  if ((await readRef(view, ref)) !== expected) return false;
  throw refused(view, `${ref} could not be deleted`, update.stderr);
}

function refused(view: GitView, message: string, stderr: string): AppError {
  const facts = stderr.split('\n').filter((line) => line.trim() !== '');
  const lock = lockInTheWay(stderr);
  if (lock === null) return new AppError('E_GIT', message, { facts });
  // The view has them by a link, and git names what it was told.
  const file = lock.endsWith('/packed-refs.lock') ? join(view.refsDir, 'packed-refs.lock') : lock;
  return new AppError('E_GIT', `${message}: a lock file is in the way`, {
    facts,
    remedy: `rm ${shellWord(file)}  # only if no git command runs`,
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
