import { join } from 'node:path';
import { reach } from '../os/failpoint.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { isAncestor, mergeBases } from '../git/merge/merge.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { operationIn } from '../git/files/worktree-admin.ts';
import { isConfigKept } from './restore-checkout.ts';
import { isDuring } from '../git/trace/git-trace.ts';
import { isMadeBy, readReflog } from '../git/trace/reflog.ts';
import { writtenMs } from './scene.ts';
import { commandsIn, COMMITS, madeBetween } from './own-commits.ts';
import { gitDirOf, readInPlaceNote, writeInPlaceNote, noteOwn } from '../checkout/in-place-note.ts';
import { AppError } from '../../core/model/errors.ts';
import { findBlockers } from '../checkout/publish-blockers.ts';
import { acceptSame } from '../checkout/publish-same.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Iteration } from '../contract/world.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { CheckoutPlace } from '../checkout/take-checkout.ts';
import type { GitView } from '../git/run/view.ts';

const SWITCHES = new Set('checkout switch symbolic-ref'.split(' '));

interface TakeBack {
  readonly iteration: Iteration;
  /** Takes the loop's commits. */
  readonly branch: string;
  readonly before: Fingerprint;
  readonly trace: readonly GitCommand[];
}

/**
 * An agent that works in the user's checkout commits where the user would: on their branch, before any gate has seen it, or on
 * one it made for that. Those commits become the loop's own, and the checkout stands again where it did; the files stay as they
 * are. What cannot be understood as work upon what was there is left for the seal to judge, by what this returns.
 */
export async function takeBackCommits(place: CheckoutPlace, options: TakeBack): Promise<Fingerprint> {
  const { repo, view } = place;
  const { iteration, before, trace } = options;
  const { loop, cwd } = iteration;
  const gitDir = gitDirOf(repo, cwd);
  const head = readHeadFile(repo.commonDir, gitDir);
  const standing = readInPlaceNote(repo, loop)?.standing ?? null;
  const ref = `refs/heads/${standing}`;
  const start = before.refs[ref];
  if (standing === null || start === undefined || head?.commit == null || operationIn(gitDir) !== null) return before;
  if (head.branch !== standing) {
    const atMs = writtenMs(join(gitDir, 'HEAD'));
    const switches = commandsIn(cwd, trace, SWITCHES);
    // Without a branch HEAD is written by each commit.
    const writes = [...switches, ...commandsIn(cwd, trace, COMMITS)];
    const isTheirs = atMs !== null && writes.some((command) => isDuring(command, atMs));
    if (switches.length === 0 || !isTheirs || !(await isAncestor(view, start, head.commit))) return before;
    await rememberCommits(place, iteration, { start, made: head.commit, before });
  }
  const from = await takeBackBranch(place, options, { standing, start });
  const now = { ...before, refs: { ...before.refs, [ref]: from } };
  if (head.branch === standing) return now;
  const tip = (await readRef(view, ref)) ?? start;
  // Not where it stood at first: what was published before the agent left it is in the files.
  const [left = start] = await mergeBases(view, head.commit, tip);
  // While nobody stood on it, it may have gone on: then files and index lack what it holds, and would take that back.
  if (tip !== left && !(isConfigKept({ place, before }) && (await bringForward(view, cwd, left, tip)))) return now;
  await runGit([...HARDENED, 'symbolic-ref', '-m', 'paralph: an agent had switched it', 'HEAD', ref], { cwd });
  return now;
}

/** Resolves with where the branch stands without the agent's commits. */
async function takeBackBranch(
  place: CheckoutPlace,
  { iteration, branch, before, trace }: TakeBack,
  { standing, start }: { readonly standing: string; readonly start: Sha },
): Promise<Sha> {
  const { repo, view } = place;
  const ref = `refs/heads/${standing}`;
  const made = await readRef(view, ref);
  const commits = commandsIn(iteration.cwd, trace, COMMITS);
  if (made === null || made === start || commits.length === 0 || !(await isAncestor(view, start, made))) return start;
  const landed = await landedIn(place, standing, { start, made });
  const entries = readReflog(repo.commonDir, ref);
  const since = entries.slice(entries.findLastIndex(({ to }) => to === start) + 1);
  const known = await Promise.all(since.map(({ to }) => isAncestor(view, to, landed)));
  const theirs = new Set(since.filter((entry, at) => known[at] !== true && isMadeBy(commits, entry, since)));
  const others = since.filter((entry) => !theirs.has(entry)).map(({ to }) => to);
  const from = await newestOf(place, [start, landed, ...others], made);
  const within = await Promise.all([...theirs].map(({ to }) => isAncestor(view, to, from)));
  // Somebody has gone on from what the agent made: only a person can part that.
  if (within.includes(true)) return start;
  if (from === made) return from;
  const isSwept = await rememberCommits(place, iteration, { start: from, made, before });
  reach('place.back');
  // On a branch of its own the loop may commit, but not what is a person's.
  if (standing === branch && !isSwept) return start;
  const why = 'paralph: what an agent committed in place waits for the gates';
  const { moved } = await moveRef(view, ref, from, made, why);
  reach('place.returned');
  return moved ? from : start;
}

/** What we published meanwhile is nobody's to take back. */
async function landedIn(
  { view }: CheckoutPlace,
  standing: string,
  { start, made }: { readonly start: Sha; readonly made: Sha },
): Promise<Sha> {
  const integration = await readRef(view, `refs/paralph/int/${standing}`);
  const [landed = start] = integration === null ? [] : await mergeBases(view, integration, made);
  return (await isAncestor(view, start, landed)) ? landed : start;
}

/** The last of them that builds on all before it and leads to a commit: nor is what a person committed. */
async function newestOf({ view }: CheckoutPlace, commits: readonly [Sha, ...Sha[]], made: Sha): Promise<Sha> {
  let [newest] = commits;
  for (const one of commits)
    if ((await isAncestor(view, newest, one)) && (await isAncestor(view, one, made))) newest = one;
  return newest;
}

/**
 * What a person had changed before must not land by way of an agent's commit: such a commit is not built upon. Either way no branch
 * may name it from now on until the loop's own does, so a ref of ours does, which goes when what it names has landed.
 */
async function rememberCommits(
  { repo, view }: CheckoutPlace,
  { loop }: Iteration,
  { start, made, before }: { readonly start: Sha; readonly made: Sha; readonly before: Fingerprint },
): Promise<boolean> {
  const note = readInPlaceNote(repo, loop);
  if (note === null || start === made) return false;
  const mine = new Set(note.mine);
  const isSwept = (await readChanges(view, start, made)).some((change) => mine.has(change.path));
  await nameKept(view, { name: loop, commit: made, reason: 'paralph: kept', durable: true });
  if (isSwept) return true;
  writeInPlaceNote(repo, loop, { ...note, taken: [...new Set([...note.taken, made])] });
  noteOwn(repo, loop, await madeBetween(view, start, made, before));
  return false;
}

/** How git says that something local is in the way. */
const REFUSED = /Cannot merge|would be (overwritten|removed)|not uptodate/;

/**
 * Index and files of a checkout go on to where its branch has gone; false: something local is in the way, and nothing was changed.
 * Where git had no room, met a lock or was killed, this fails and can be done again: what was written by then is not in the way.
 */
export async function bringForward(view: GitView, cwd: string, from: Sha, to: Sha): Promise<boolean> {
  const changes = await readChanges(view, from, to);
  const blockers = await findBlockers(cwd, changes);
  const left = blockers.length === 0 ? [] : await acceptSame(cwd, view, { from, to, changes }, blockers);
  if (left.length > 0) return false;
  try {
    await runGit([...HARDENED, 'read-tree', '-m', '-u', from, to], { cwd });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.facts.some((fact) => REFUSED.test(fact))) return false;
    throw error;
  }
}
