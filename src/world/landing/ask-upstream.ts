import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { createBound, realClock } from '../os/clock.ts';
import { branchUsers } from '../worktrees/branch-users.ts';
import { fetchFollowed, followedBy, trackedAt } from '../git/refs/remote.ts';
import type { Followed } from '../git/refs/remote.ts';
import { readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import { openView } from '../git/run/view.ts';
import { textIfThere } from '../os/read-if-there.ts';

/** Nobody waits longer for a remote before work begins. */
const LIMIT_MS = 5000;
/** Hosts that start one after the other need not all ask. */
const FRESH_MS = 60_000;

/** How the target stands to the remote branch it follows. */
export interface UpstreamNews {
  /** `origin/main`. */
  readonly name: string;
  readonly remote: string;
  /** Why the remote could not be asked; null: it was, now or a moment ago. */
  readonly failure: string | null;
  /** Commits that only the target has, and that only the other has. */
  readonly ahead: number;
  readonly behind: number;
  /** What brings the target up to date, ready to paste. We never do: main moves only to what the gates passed. */
  readonly remedy: string;
}

interface UpstreamOrder {
  readonly repo: Repository;
  readonly env: NodeJS.ProcessEnv;
  readonly target: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  /** An answer that is younger is good enough. */
  readonly freshMs?: number;
}

/** Asks the remote branch that the target follows. Null: it follows none. A remote that does not answer is no failure. */
export async function askUpstream(order: UpstreamOrder): Promise<UpstreamNews | null> {
  const { repo, target, freshMs = FRESH_MS } = order;
  const followed = await followedBy(order, target);
  if (followed === null) return null;
  const failure = isFresh(repo, followed, freshMs) ? null : await fetchOrWhyNot(order, followed);
  const name = followed.tracking.slice('refs/remotes/'.length);
  const [behind, ahead] = await apart(repo, target, followed);
  const remedy = behind === 0 ? '' : await mending(repo, target, followed, ahead > 0);
  return { name, remote: followed.remote, failure, ahead, behind, remedy };
}

async function fetchOrWhyNot(order: UpstreamOrder, followed: Followed): Promise<string | null> {
  const { repo, env, signal, limitMs = LIMIT_MS } = order;
  const bound = createBound(signal, limitMs);
  try {
    await fetchFollowed({ repo, env, unasked: bound.signal }, followed);
    noteFresh(repo, followed);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (bound.signal.aborted) return `no answer within ${limitMs / 1000} s`;
    return error.facts[0] ?? error.message;
  } finally {
    bound.release();
  }
}

async function apart(repo: Repository, target: string, followed: Followed): Promise<readonly [number, number]> {
  const view = await openView(repo);
  const ours = await readRef(view, `refs/heads/${target}`);
  const theirs = await trackedAt({ repo, env: {} }, followed);
  if (ours === null || theirs === null || ours === theirs) return [0, 0];
  const { stdout } = await view.run(['rev-list', '--left-right', '--count', `${theirs}...${ours}`, '--']);
  const [behind = 0, ahead = 0] = stdout.trim().split(/\s+/).map(Number);
  return [behind, ahead];
}

/** Where the target is checked out its files must move along. */
async function mending(repo: Repository, target: string, followed: Followed, isParted: boolean): Promise<string> {
  const [user] = await branchUsers(repo, target);
  const git = `git -C ${shellWord(user?.path ?? repo.root)}`;
  const merge = `merge ${shellWord(followed.tracking.slice('refs/remotes/'.length))}`;
  if (user !== undefined) return `${git} ${isParted ? merge : 'pull --ff-only'}`;
  if (isParted) return `${git} switch ${shellWord(target)} && ${git} ${merge}`;
  return `${git} fetch ${shellWord(followed.remote)} ${shellWord(`${followed.theirs}:refs/heads/${target}`)}`;
}

const fileOf = (repo: Repository): string => join(repo.stateDir, 'fetched');

/** A clock that was set back makes us ask once more than needed, never less. */
function isFresh(repo: Repository, { remote, tracking }: Followed, freshMs: number): boolean {
  const [at = '', ...what] = textIfThere(fileOf(repo)).split('\n');
  const ageMs = Date.now() - Number(at);
  return what.join('\n') === `${remote}\n${tracking}` && ageMs >= 0 && ageMs < freshMs;
}

/** A note that cannot be written costs the next host a question, and nothing else. */
function noteFresh(repo: Repository, { remote, tracking }: Followed): void {
  try {
    mkdirSync(repo.stateDir, { recursive: true });
    writeFileSync(fileOf(repo), `${Date.now()}\n${remote}\n${tracking}`);
  } catch {
    return;
  }
}

/** Trains that follow each other need not all ask. */
const ASK_EVERY_MS = 15_000;
/** Who did not answer is not waited for with every train. */
const AFTER_FAILURE_MS = 600_000;

/**
 * Asks the remote branch that the target follows, as a train is built: the same task may have been done and pushed elsewhere since this
 * run began, and would land twice. What was fetched before work began does not count.
 */
export function createAsking(order: Omit<UpstreamOrder, 'signal'>): () => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (realClock.awakeMs() < nextMs) return;
    const isAnswered = await hasAnswered(order);
    nextMs = realClock.awakeMs() + (isAnswered ? ASK_EVERY_MS : AFTER_FAILURE_MS);
  };
}

async function hasAnswered(order: Omit<UpstreamOrder, 'signal'>): Promise<boolean> {
  try {
    const news = await askUpstream({ ...order, signal: new AbortController().signal, freshMs: 0 });
    return news?.failure === null;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
