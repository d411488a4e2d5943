import { readIndex } from './publish-journal.ts';
import { join } from 'node:path';
import { sha } from '../../core/model/ids.ts';
import { mergeTracker, tasksThatAre } from '../../text/trackers/merge-tracker.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { reach } from '../os/failpoint.ts';
import { findLandings } from '../git/objects/history.ts';
import { isTracker } from '../git/merge/merge-text.ts';
import { textOf, readPlain, spliceFile } from '../os/splice-file.ts';
import { ticked } from '../trackers/tick-loose.ts';
import { readBlobs } from '../git/objects/blobs.ts';
import { statOf } from './publish-blockers.ts';
import { indexLine, shown } from '../git/objects/raw-changes.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { writeBlob } from '../git/objects/trees.ts';
import type { Sha, TaskId } from '../../core/model/ids.ts';
import type { Splice } from '../os/splice-file.ts';
import type { Change, Side } from '../git/objects/raw-changes.ts';
import type { GitView } from '../git/run/view.ts';

interface Move {
  readonly from: Sha;
  readonly to: Sha;
  readonly changes: readonly Change[];
}

/** A task file with an edit of its owner's: the edit stays as it is and stays uncommitted, and gets the ticks that are published. */
export interface EditedTracker {
  readonly path: string;
  /** What the index held. */
  readonly before: Side;
  /** What is published. git leaves a file alone whose entry in the index says that already. */
  readonly published: Side;
  /** What the index shall hold. */
  readonly after: Side;
}

const BYTES_MAX = 1024 * 1024;

/** Those of the files in the way that are task files, and take the ticks without another byte being touched. */
export async function findEdited(
  worktree: string,
  view: GitView,
  move: Move,
  blockers: readonly string[],
): Promise<readonly EditedTracker[]> {
  const names = new Set(blockers.map((line) => line.replace(/ \((?:modified|staged|deleted)\)$/, '')));
  const meant = move.changes.filter(({ path }) => names.has(shown(path)));
  if (meant.length === 0) return [];
  const landed = await landedIn(view, move);
  const edited: EditedTracker[] = [];
  for (const change of meant.filter(({ path }) => landed.has(shown(path)) || isTracker('', shown(path)))) {
    const one = await edit(worktree, view, change, landed.get(shown(change.path)) ?? []);
    if (one !== null) edited.push(one);
  }
  return edited;
}

/** A task may have landed whose line no commit has, only an edit of its owner's: what is published leaves that file alone. */
export async function findUnticked(
  worktree: string,
  view: GitView,
  move: Omit<Move, 'changes'>,
  paths: readonly string[],
): Promise<readonly EditedTracker[]> {
  const landed = await landedIn(view, move);
  const edited: EditedTracker[] = [];
  for (const path of paths) {
    const tasks = landed.get(shown(path)) ?? [];
    const sides = tasks.length === 0 ? null : await sidesOf(view, move, shown(path));
    const one = sides === null ? null : await edit(worktree, view, { path, ...sides }, tasks);
    if (one !== null) edited.push(one);
  }
  return edited;
}

async function edit(
  worktree: string,
  view: GitView,
  change: Change,
  landed: readonly TaskId[],
): Promise<EditedTracker | null> {
  const path = shown(change.path);
  const { before, after } = change;
  const entry = (await readIndex(worktree, [change.path])).get(change.path);
  const sides = [before, after, entry];
  if (before === null || after === null || entry === undefined) return null;
  if (!sides.every((side) => side?.mode === after.mode) || !after.mode.startsWith('100')) return null;
  const splice = await splicer(view, path, { before, after }, landed);
  const disk = readPlain(join(worktree, path));
  const staged = (await readTexts(view, [entry.id]))?.[0];
  const wanted = staged === undefined ? null : splice?.(staged);
  // One that was taken away stays away.
  const isFit = disk === null ? statOf(worktree, change.path) === null : splice?.(disk.text) != null;
  if (wanted == null || !isFit) return null;
  const id = entry.id === before.id ? after.id : await writeBlob(view, wanted);
  return { path, before: entry, published: after, after: { mode: after.mode, id } };
}

/** Before the branch moves: from here on git takes these files for published, and leaves them alone. False: git could not. */
export function stagePublished(worktree: string, edited: readonly EditedTracker[]): Promise<boolean> {
  return setEntries(
    worktree,
    edited.map(({ path, published }) => ({ path, side: published })),
  );
}

/** The branch did not move: the index is as it was. */
export async function unstagePublished(worktree: string, edited: readonly EditedTracker[]): Promise<void> {
  await replacePublished(worktree, edited, 'before');
}

/** The branch has moved: what was staged is staged again, and the files get their ticks. Doing it twice changes nothing. */
export async function tickEdited(
  worktree: string,
  view: GitView,
  move: Omit<Move, 'changes'>,
  edited: readonly EditedTracker[],
): Promise<void> {
  await replacePublished(worktree, edited, 'after');
  reach('publish.restaged');
  const landed = await landedIn(view, move);
  for (const { path } of edited) {
    const sides = await sidesOf(view, move, path);
    const splice = sides === null ? null : await splicer(view, path, sides, landed.get(path) ?? []);
    if (splice !== null) spliceFile(join(worktree, path), splice);
  }
  reach('publish.ticked');
}

async function replacePublished(
  worktree: string,
  edited: readonly EditedTracker[],
  by: 'before' | 'after',
): Promise<void> {
  const now = await readIndex(
    worktree,
    edited.map(({ path }) => latin1(path)),
  );
  // Another entry by now is its owner's, who has gone on.
  const ours = edited.filter(({ path, published }) => now.get(latin1(path))?.id === published.id);
  await setEntries(
    worktree,
    ours.map((one) => ({ path: one.path, side: one[by] })),
  );
}

async function setEntries(
  worktree: string,
  entries: readonly { readonly path: string; readonly side: Side }[],
): Promise<boolean> {
  if (entries.length === 0) return true;
  const lines = entries.map(({ path, side }) => indexLine({ path: latin1(path), before: null, after: side }));
  const input = Buffer.from(lines.join(''), 'latin1');
  const args = ['update-index', '-z', '--index-info'];
  return (await runGit([...HARDENED, ...args], { cwd: worktree, input, ok: [0, 1, 128] })).code === 0;
}

const latin1 = (path: string): string => Buffer.from(path, 'utf8').toString('latin1');

/** Gives a version of the file the ticks that are published; null: that would touch more, or there is no certain place for them. */
async function splicer(
  view: GitView,
  path: string,
  { before, after }: { readonly before: Side; readonly after: Side },
  landed: readonly TaskId[],
): Promise<Splice | null> {
  const texts = await readTexts(view, [before.id, after.id]);
  const [base, ours] = texts ?? [];
  if (base === undefined || ours === undefined) return null;
  const kind = trackerKindOf(path) ?? 'markdown';
  return (theirs) => {
    const merged = mergeTracker(kind, { base, ours, theirs });
    if (merged.how !== 'merged') return null;
    // A task may have landed whose line only the edit has. What its owner marked as blocked stays so.
    const blocked = tasksThatAre('blocked', kind, merged.text);
    return landed.filter((id) => !blocked.has(id)).reduce((text, id) => ticked(kind, text, id) ?? text, merged.text);
  };
}

async function readTexts(view: GitView, ids: readonly string[]): Promise<readonly string[] | null> {
  const contents = await readBlobs(view, [...new Set(ids)].map(sha), BYTES_MAX);
  const texts = ids.map((id) => textOf(contents.get(sha(id)) ?? Buffer.from([0xff])));
  return texts.every((text) => text !== null) ? texts : null;
}

async function sidesOf(view: GitView, { from, to }: Omit<Move, 'changes'>, path: string) {
  const of = async (commit: Sha): Promise<Side | null> => {
    const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path];
    const [, mode, id] = /^(\d+) blob ([0-9a-f]+)\t/.exec((await view.run(args)).stdout) ?? [];
    return mode === undefined || id === undefined ? null : { mode, id };
  };
  const [before, after] = [await of(from), await of(to)];
  return before === null || after === null ? null : { before, after };
}

/** The tasks that landed in between, by the task file that names them. */
async function landedIn(view: GitView, { from, to }: Omit<Move, 'changes'>): Promise<ReadonlyMap<string, TaskId[]>> {
  const landed = new Map<string, TaskId[]>();
  for (const { task, tracker } of await findLandings(view, to, [from]))
    if (tracker !== null) landed.set(tracker, [...(landed.get(tracker) ?? []), task]);
  return landed;
}
