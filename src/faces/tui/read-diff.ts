import { Writable } from 'node:stream';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { howMany } from '../../core/model/describe-time.ts';
import { diffRows } from '../../text/screen/diff-rows.ts';
import type { DiffRow } from '../../text/screen/diff-rows.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { readLoopFiles } from '../../world/checkout/loop-files.ts';
import { openView } from '../../world/git/run/view.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { writeDiff } from '../../world/loops/loop-diff.ts';
import { findReviewDiff, writeReview } from '../../world/loops/review-diff.ts';
import type { ReadFirst, ReviewFile } from '../../world/loops/review-diff.ts';
import type { Write } from '../../world/os/rewrite-stream.ts';
import { isWorking } from '../../core/model/model.ts';
import type { Page, PageRow, Scope } from './model.ts';
import { pageOf, textRow } from './page.ts';

/** More than this nobody reads in a terminal. */
const PATCH_BYTES_MAX = 4 * 1024 * 1024;

export interface DiffFacts {
  readonly repo: Repository;
  readonly state: State;
  readonly loop: Loop;
  readonly target: string;
  readonly scope: Scope;
  readonly records: readonly Facts[];
}

const FIRST: Readonly<Record<ReadFirst, string>> = {
  obeyed: 'later gates and agents use it',
  'deletes-test': 'a test is deleted',
  'shortens-test': 'a test gets shorter',
};

/** What a loop changed, as a page: what has to be seen comes first. */
export async function readDiff({ repo, state, loop, target, scope, records }: DiffFacts): Promise<Page> {
  const view = await openView(repo);
  const found = await findReviewDiff(view, { state, loop, target }, scope !== 'since you looked');
  if (found === null) return pageOf([textRow('it has changed nothing yet')]);
  const { head, files } = found;
  const made = (rows: readonly PageRow[], what: string, commit: Sha | null): Page => ({
    ...pageOf(rows),
    head: what,
    commit,
  });
  if (scope === 'last iteration') {
    const before = headBefore(records, loop, head);
    const rows = rowsOf(await textOf(writeDiff(view, before ?? found.base, head, 'patch')));
    return made(orNothing(rows, 'its last iteration changed nothing'), short(head), head);
  }
  // What is not committed yet is its work all the same, and nothing that could be approved.
  const now = isWorking(loop) ? await readLoopFiles(repo, view, loop, target) : null;
  if (now !== null) {
    const rows = rowsOf(await textOf(writeDiff(view, now.base ?? found.base, now.tree, 'patch')));
    return made(orNothing(rows, 'it has changed nothing yet'), 'with what is not committed yet', null);
  }
  const rows = [...files.flatMap(firstRow), ...rowsOf(await textOf(writeReview(view, found)))];
  const since = found.since === null ? '' : ` since ${short(found.since)}`;
  return made(orNothing(rows, `nothing has changed${since}`), `${sumOf(files)} at ${short(head)}${since}`, head);
}

const short = (commit: string): string => commit.slice(0, 10);

const orNothing = (rows: readonly PageRow[], what: string): readonly PageRow[] =>
  rows.length === 0 ? [textRow(what)] : rows;

function sumOf(files: readonly ReviewFile[]): string {
  const sum = (count: (file: ReviewFile) => number | null): number =>
    files.reduce((all, file) => all + (count(file) ?? 0), 0);
  return `${howMany(files.length, 'file')} +${sum(({ added }) => added)} -${sum(({ removed }) => removed)}`;
}

const firstRow = ({ path, first, added, removed }: ReviewFile): readonly PageRow[] =>
  first === null ? [] : [textRow(`! ${path} +${added ?? '?'} -${removed ?? '?'}   ${FIRST[first]}`, 'yellow')];

const TONES: Readonly<Record<DiffRow['kind'], PageRow['tone']>> = {
  file: 'bold',
  hunk: 'dim',
  added: 'green',
  removed: 'red',
  same: 'plain',
  other: 'dim',
};

const rowsOf = (patch: string): readonly PageRow[] =>
  diffRows(patch).map(({ text, kind, place }) => ({
    ...textRow(text, TONES[kind]),
    ...(place === null ? {} : { place }),
    ...(kind === 'hunk' ? { isMark: true } : {}),
  }));

/** Where its branch was before the last iteration that moved it. */
function headBefore(records: readonly Facts[], loop: Loop, head: Sha): Sha | null {
  const heads = records
    .flatMap(({ events }): readonly Event[] => events)
    .flatMap((event) => (event.type === 'iteration-ended' && event.loop === loop.id ? [event.head] : []));
  return heads.findLast((one) => one !== head) ?? loop.base;
}

/** As much of it as is shown. */
async function textOf(write: Write): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const sink = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      if (bytes < PATCH_BYTES_MAX) pieces.push(Buffer.from(piece));
      bytes += piece.length;
      done();
    },
  });
  await write(sink);
  const text = Buffer.concat(pieces).toString('utf8').slice(0, PATCH_BYTES_MAX);
  return bytes > PATCH_BYTES_MAX ? `${text}\n(more than is shown here: ralph loops diff has all of it)` : text;
}
