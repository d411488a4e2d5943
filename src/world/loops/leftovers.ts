import { basename } from 'node:path';
import { asRepository } from '../../text/oversize.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { reach } from '../os/failpoint.ts';
import { strayNotes } from '../notes/lay-notes.ts';
import { lookAtChanges, embeddedRepositories, headOf } from '../git/files/worktree-state.ts';
import { commitTree } from '../git/objects/commit.ts';
import { lastHead } from '../git/refs/look-up-ref.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { describeOmitted, findMade, findOversize, pathsOf } from '../git/files/oversize.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { snapshotWorktree, stageAll, unstageEmbedded, writeTree } from '../git/files/snapshot.ts';
import { knowTree, treeOf } from '../git/objects/trees.ts';
import { openView } from '../git/run/view.ts';
import { operationIn, removeDeadLocks, soundAdminDir } from '../git/files/worktree-admin.ts';
import { patiently } from '../git/run/dead-lock.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { NewLimits } from '../../core/model/settings.ts';
import type { Oversize } from '../../text/oversize.ts';
import type { WorktreeFacts } from '../contract/outcomes.ts';
import type { Changes, Head } from '../git/files/worktree-state.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

export interface LeftoverOptions {
  readonly path: string;
  readonly branch: string;
  readonly message: string;
  /** Where the loop began: notes of its agent that this does not hold are in no commit of ours; null: nobody knows. */
  readonly base: Sha | null;
  /** What the loop may add in all; null: whatever there is. */
  readonly maxNew: NewLimits | null;
  readonly identity: Identity;
}

interface Place extends LeftoverOptions {
  readonly repo: Repository;
  readonly view: GitView;
  readonly adminDir: string;
}

/**
 * Commits what an agent left uncommitted, and brings it onto its branch wherever that moves the branch forward only. The caller has
 * made sure that no process of the agent lives.
 */
export async function commitLeftovers(repo: Repository, options: LeftoverOptions): Promise<WorktreeFacts> {
  const adminDir = soundAdminDir(repo, options.path);
  removeDeadLocks(adminDir);
  const place: Place = { ...options, repo, view: await openView(repo), adminDir };
  const head = await findHead(place);
  const changes = await lookAtChanges(options.path);
  const operation = operationIn(adminDir) ?? (changes.unmerged ? 'unmerged' : null);
  if (operation !== null) return keepSnapshot(place, head, operation);
  if (head.commit === null) return keepSnapshot(place, head, 'unborn');
  const before = await treeOf(place.view, head.commit);
  // Thousands of files that will not land are not even read.
  const made = await madeIn(place, changes);
  const staged = changes.clean ? { tree: before, embedded: [] } : await stage(options.path, changes, made);
  const { embedded } = staged;
  const noted = await withoutNotes(place, staged.tree);
  const { tree, ...omitted } = await withoutOversize(place, before, noted, [...made, ...embedded.map(asRepository)]);
  const committed = tree !== before;
  const commit = committed ? await commitAll(place, tree, [head.commit]) : head.commit;
  if (committed) knowTree(place.view, commit, tree);
  reach('iter.committed');
  const settled = await settle(place, head, commit);
  reach('iter.ended');
  return {
    tree,
    committed,
    ...omitted,
    ...settled,
    odd: settled.odd ?? (embedded.length > 0 ? 'embedded-repository' : null),
  };
}

async function stage(
  path: string,
  changes: Changes,
  made: readonly Oversize[],
): Promise<{ readonly tree: Sha; readonly embedded: readonly string[] }> {
  if (changes.links) await unstageEmbedded(path);
  // What was staged as a link a moment ago is a folder of its own again.
  const embedded = changes.links ? await embeddedRepositories(path) : changes.embedded;
  await stageAll(path, [...embedded, ...made.map(({ name }) => name)]);
  return { tree: await writeTree(path), embedded };
}

/** What the agent noted for itself stays in its files; also what it has committed of that is no part of the work. */
async function withoutNotes({ view, path, base }: Place, tree: Sha): Promise<Sha> {
  const stray = base === null ? [] : await strayNotes(view, tree, base);
  return stray.length === 0 ? tree : unstaged(path, stray);
}

const madeIn = ({ view, base, maxNew }: Place, { untracked }: Changes): Promise<readonly Oversize[]> =>
  base === null || maxNew === null ? Promise.resolve([]) : findMade(view, base, untracked);

/** What is too much to land, or made by tools, stays in the files too; what the agent has committed of that is judged with its gates. */
async function withoutOversize(
  { view, path, base, maxNew }: Place,
  before: Sha,
  tree: Sha,
  made: readonly Oversize[],
): Promise<Pick<WorktreeFacts, 'tree' | 'omitted'>> {
  if (base === null || maxNew === null) return { tree };
  const found = tree === before ? [] : await findOversize(view, { base, before, tree, path }, maxNew);
  const all = [...made, ...found];
  if (all.length === 0) return { tree };
  return {
    tree: found.length === 0 ? tree : await unstaged(path, pathsOf(found)),
    omitted: describeOmitted(all, maxNew),
  };
}

async function unstaged(path: string, names: readonly string[]): Promise<Sha> {
  const input = Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
  await runGit([...HARDENED, 'update-index', '--force-remove', '-z', '--stdin'], { cwd: path, input });
  return writeTree(path);
}

/** Where HEAD stands. A branch that the agent deleted under itself comes back where HEAD last was. */
async function findHead(place: Place): Promise<Head> {
  const head = readHeadFile(place.repo.commonDir, place.adminDir) ?? (await headOf(place.path));
  if (head.commit !== null || head.branch !== place.branch) return head;
  const last = lastHead(place.adminDir);
  if (last === null || !(await isCommit(place.view, last))) return head;
  await moveRef(
    place.view,
    `refs/heads/${place.branch}`,
    last,
    null,
    'paralph: the branch was deleted under its worktree',
  );
  return { commit: last, branch: place.branch };
}

/** Somebody stopped half-way: nobody but a person knows what it was to become, so files, index and HEAD stay as they are. */
async function keepSnapshot(place: Place, head: Head, odd: string): Promise<WorktreeFacts> {
  const tree = await snapshotWorktree(place.repo, place.path);
  const tip = await readRef(place.view, `refs/heads/${place.branch}`);
  const parents = new Set([head.commit, odd === 'unborn' ? null : tip].filter((commit) => commit !== null));
  const commit = await commitAll(place, tree, [...parents]);
  return { head: commit, tree, branch: head.branch, committed: true, odd, kept: await keep(place, commit) };
}

type Settled = Pick<WorktreeFacts, 'head' | 'branch' | 'odd' | 'kept'>;

/** Brings the branch and HEAD together at `commit`, which is HEAD or one commit on top of it. */
async function settle(place: Place, head: Head, commit: Sha): Promise<Settled> {
  const { path, branch, view } = place;
  const ref = `refs/heads/${branch}`;
  const onBranch: Settled = { head: commit, branch, odd: null, kept: null };
  if (head.branch === branch) {
    if (commit !== head.commit)
      await git(path, 'update-ref', '-m', 'paralph: leftovers', 'HEAD', commit, head.commit ?? '');
    return onBranch;
  }
  const tip = await readRef(view, ref);
  if (tip === null || (await isAncestor(view, tip, commit))) {
    const move =
      tip === commit
        ? { moved: true }
        : await moveRef(view, ref, commit, tip, 'paralph: adopted what the agent committed elsewhere');
    if (move.moved) {
      // The files and the index are those of the commit already.
      await git(path, 'symbolic-ref', '-m', 'paralph: back on its branch', 'HEAD', ref);
      return onBranch;
    }
  } else if (await isAncestor(view, commit, tip)) {
    // It only looked at something older, and left nothing behind.
    await patiently(() => git(path, 'checkout', '-q', '--no-guess', branch, '--'));
    return { ...onBranch, head: tip };
  }
  const odd = head.branch === null ? 'detached' : 'other-branch';
  if (head.branch === null && commit !== head.commit)
    await git(path, 'update-ref', '--no-deref', 'HEAD', commit, head.commit ?? '');
  return { head: commit, branch: head.branch, odd, kept: await keep(place, commit) };
}

/** Names a commit so that nothing ever collects it. */
const keep = ({ view, branch }: Place, commit: Sha): Promise<string> =>
  nameKept(view, { name: basename(branch), commit, reason: 'paralph: kept', durable: false });

async function commitAll(place: Place, tree: Sha, parents: readonly Sha[]): Promise<Sha> {
  const { view, message, identity } = place;
  return commitTree(view, { tree, parents, message: `${message.trimEnd()}\n`, identity });
}

async function isCommit(view: GitView, commit: Sha): Promise<boolean> {
  return (await view.run(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128] })).code === 0;
}

const git = (path: string, ...args: readonly string[]): ReturnType<typeof runGit> =>
  runGit([...HARDENED, ...args], { cwd: path });
