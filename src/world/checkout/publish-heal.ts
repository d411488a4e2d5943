import { existsSync, rmSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { reach } from '../os/failpoint.ts';
import { isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import { outlastGit } from '../git/run/dead-lock.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { findBlockers, localChanges } from './publish-blockers.ts';
import { GITLINK, foldersAbove, onDisk, readChanges, shown } from '../git/objects/raw-changes.ts';
import { classify, isAsPublished } from './publish-classify.ts';
import { readIndex, readJournal, removeJournal, mergeCommand } from './publish-journal.ts';
import { readRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { operationIn } from '../git/files/worktree-admin.ts';
import { headOf } from '../git/files/worktree-state.ts';
import type { Change, Side } from '../git/objects/raw-changes.ts';
import type { Classified } from './publish-classify.ts';
import type { PublishJournal } from './publish-journal.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

export type Healed = 'nothing' | 'healed' | { readonly hands_off: readonly string[] };

/** It brings the readers of task files along, which a start should not wait for. */
export const editing = () => import('./publish-edited.ts');

const MERGE_ENDS_MS = 60_000;
const LOCK_ENDS_MS = 2_000;

/** Ends what a killed publish began. The caller holds the publish mutex. */
export async function heal(repo: Repository, view: GitView): Promise<Healed> {
  const journal = readJournal(repo);
  if (journal === null) return 'nothing';
  if (!isSame(journal.by, ownIdentity()) && isAlive(journal.by))
    return { hands_off: [`process ${journal.by.pid} is publishing`] };
  // git goes on when whoever started it is killed.
  const merging = await outlastGit({ folder: null, mentions: mergeCommand(journal.to).join(' ') }, MERGE_ENDS_MS);
  if (merging.length > 0) return { hands_off: [`git (process ${merging[0]}) is publishing`] };
  const inTheWay = await settle(journal, view);
  if (inTheWay.length > 0) return { hands_off: inTheWay };
  reach('publish.healed');
  removeJournal(repo);
  return 'healed';
}

/** Returns what keeps it from ending well; then nothing was touched. */
async function settle(journal: PublishJournal, view: GitView): Promise<readonly string[]> {
  const { worktree, gitDir, target, from, to, edited = [] } = journal;
  if (!existsSync(worktree)) return [];
  const now = await readRef(view, `refs/heads/${target}`);
  const isThere = async (): Promise<boolean> => (await headOf(worktree)).branch === target;
  // The branch moves last: everything else is done, but for the ticks in files that were edited.
  if (now !== null && (now === to || (edited.length > 0 && (await isAncestor(view, to, now))))) {
    if (edited.length > 0 && (await isThere()))
      await (await editing()).tickEdited(worktree, view, { from, to }, edited);
    return [];
  }
  const changes = (await readChanges(view, from, to)).filter(
    ({ path }) => !edited.some((one) => one.path === shown(path)),
  );
  const operation = operationIn(gitDir);
  if (operation !== null) return [`${worktree} is in the middle of a ${operation}`];
  const movedOn = now !== from || !(await isThere());
  const left = await (movedOn ? leftByUser(worktree, view, changes) : rollBack(journal, view, changes));
  if (left.length === 0 && edited.length > 0) await (await editing()).unstagePublished(worktree, edited);
  return left;
}

/**
 * The user has gone on from there; what is still untidy among our files is theirs to judge. What is as it was to become is not
 * untidy: the next publish takes it as it is, and a loop that works in place may have written it.
 */
async function leftByUser(worktree: string, view: GitView, changes: readonly Change[]): Promise<readonly string[]> {
  const local = await localChanges(worktree, 'all');
  const seen = await classify(
    worktree,
    view,
    changes.filter(({ path }) => local.has(path)),
  );
  return seen
    .filter((one) => !isAsPublished(one))
    .map(({ change: { path } }) => `${shown(path)} (${local.get(path) ?? 'changed'})`);
}

async function rollBack(
  journal: PublishJournal,
  view: GitView,
  changes: readonly Change[],
): Promise<readonly string[]> {
  const { worktree, gitDir } = journal;
  const lock = join(gitDir, 'index.lock');
  if (!existsSync(lock) && (await findBlockers(worktree, changes)).length === 0) return [];
  const entries = await readIndex(worktree);
  const classified = await classify(worktree, view, changes);
  const foreign = classified.filter(
    ({ change, remains }) => remains === 'foreign' || !isOurEntry(change, entries.get(change.path)),
  );
  if (foreign.length > 0) return foreign.map(({ change }) => `${shown(change.path)} (changed since)`);
  if (existsSync(lock)) {
    const busy = await outlastGit({ folder: worktree, mentions: null }, LOCK_ENDS_MS);
    if (busy.length > 0) return [`${lock} (git, process ${busy[0]}, works in ${worktree})`];
    rmSync(lock, { force: true });
  }
  await restoreEntries(
    worktree,
    changes.filter(({ path, before }) => !isSide(before, entries.get(path))),
  );
  removeAdded(worktree, classified);
  await restoreFiles(worktree, classified);
  await runGit([...HARDENED, 'update-index', '-q', '--refresh'], { cwd: worktree, ok: [0, 1] });
  return [];
}

const isSide = (side: Side | null, entry: Side | undefined): boolean =>
  side === null ? entry === undefined : entry?.mode === side.mode && entry.id === side.id;

const isOurEntry = ({ before, after }: Change, entry: Side | undefined): boolean =>
  isSide(before, entry) || isSide(after, entry);

/** Removals first: a folder cannot enter the index where a file of the same name still is. */
async function restoreEntries(worktree: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const line = ({ path, before, after }: Change): string => {
    const id = before?.id ?? '0'.repeat(after?.id.length ?? 40);
    return `${before?.mode ?? '0'} ${id}\t${path}\0`;
  };
  const removals = changes.filter((change) => change.before === null);
  const additions = changes.filter((change) => change.before !== null);
  const input = Buffer.from([...removals, ...additions].map(line).join(''), 'latin1');
  await runGit([...HARDENED, 'update-index', '-z', '--index-info'], { cwd: worktree, input });
}

/** Also the folders, which git makes before the first file in them. */
function removeAdded(worktree: string, classified: readonly Classified[]): void {
  for (const { change, remains } of classified) {
    if (change.before !== null) continue;
    if (change.after?.mode === GITLINK) removeEmptyFolder(worktree, change.path);
    else if (remains === 'after' || remains === 'half') unlinkSync(onDisk(worktree, change.path));
    for (const folder of [...foldersAbove(change.path)].reverse()) {
      if (!removeEmptyFolder(worktree, folder)) break;
    }
  }
}

/** False when there is something in it. */
function removeEmptyFolder(worktree: string, folder: string): boolean {
  try {
    rmdirSync(onDisk(worktree, folder));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function restoreFiles(worktree: string, classified: readonly Classified[]): Promise<void> {
  const lost = classified.filter(
    ({ change, remains }) => change.before !== null && change.before.mode !== GITLINK && remains !== 'before',
  );
  if (lost.length === 0) return;
  const input = Buffer.from(lost.map(({ change }) => `${change.path}\0`).join(''), 'latin1');
  await runGit([...HARDENED, 'checkout-index', '--force', '--index', '-q', '-z', '--stdin'], { cwd: worktree, input });
}
