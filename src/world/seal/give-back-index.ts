import { rmSync } from 'node:fs';
import { HARDENED, runGit, runGitBytes } from '../git/run/run-git.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { patiently } from '../git/run/dead-lock.ts';
import { commandsIn } from './own-commits.ts';
import { gitDirOf, treeOfFiles, readInPlaceNote, writeInPlaceNote } from '../checkout/in-place-note.ts';
import { readChanges, GITLINK, onDisk } from '../git/objects/raw-changes.ts';
import { classify } from '../checkout/publish-classify.ts';
import { treeOf } from '../git/objects/trees.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import type { Change } from '../git/objects/raw-changes.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { Iteration } from '../contract/world.ts';
import type { InPlaceNote } from '../checkout/in-place-note.ts';
import type { CheckoutPlace } from '../checkout/take-checkout.ts';

const STAGES = new Set(
  'add stage rm mv reset restore update-index apply read-tree checkout switch stash commit merge cherry-pick revert am rebase pull'.split(
    ' ',
  ),
);

/** Before an agent starts: where the checkout stands, and how a person's files are staged. */
export async function noteStanding(repo: Repository, { loop, cwd }: Iteration): Promise<void> {
  const note = readInPlaceNote(repo, loop);
  if (note === null) return;
  const standing = readHeadFile(repo.commonDir, gitDirOf(repo, cwd))?.branch ?? null;
  const index = note.mine.length === 0 ? [] : await entriesOf(cwd, note.mine);
  writeInPlaceNote(repo, loop, { ...note, standing, index });
}

/**
 * An agent that stages all there is stages what is not its own: that goes back to how it was staged, or committed since. No file is
 * touched.
 */
export async function giveBackIndex(
  repo: Repository,
  { loop, cwd }: Iteration,
  trace: readonly GitCommand[],
  committed: readonly Change[],
): Promise<void> {
  const note = readInPlaceNote(repo, loop);
  if (note === null || note.mine.length === 0 || commandsIn(cwd, trace, STAGES).length === 0) return;
  const now = new Set(await entriesOf(cwd, note.mine));
  const index = withCommitted(note, committed);
  const before = new Set(index);
  const changed = new Set(
    [...index.filter((entry) => !now.has(entry)), ...[...now].filter((entry) => !before.has(entry))].map(pathOf),
  );
  if (changed.size === 0) return;
  const entries = index.filter((entry) => changed.has(pathOf(entry)));
  const lines = [...[...changed].map((path) => `0 ${'0'.repeat(note.start.length)}\t${path}`), ...entries];
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
  await patiently(() => runGit([...HARDENED, 'update-index', '-z', '--index-info'], { cwd, input }));
  await runGit([...HARDENED, 'update-index', '-q', '--refresh'], { cwd, ok: [0, 1, 128] });
}

/** The next commit would take back what the index does not know. */
function withCommitted({ index, mine }: InPlaceNote, committed: readonly Change[]): readonly string[] {
  const asked = new Set(mine);
  const since = committed.filter(({ path }) => asked.has(path));
  const paths = new Set(since.map(({ path }) => path));
  return [
    ...index.filter((entry) => !paths.has(pathOf(entry))),
    ...since.flatMap(({ path, after }) => (after === null ? [] : [`${after.mode} ${after.id} 0\t${path}`])),
  ];
}

const pathOf = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);

async function entriesOf(cwd: string, paths: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runGitBytes([...HARDENED, 'ls-files', '-s', '-z'], { cwd });
  const asked = new Set(paths);
  const entries = stdout.toString('latin1').split('\0');
  return entries.filter((entry) => entry !== '' && asked.has(pathOf(entry)));
}

const THROWS = new Set('reset checkout restore clean stash switch rm merge rebase pull'.split(' '));
/** Take away what git does not know. */
const CLEANS = new Set(['clean', 'stash']);

/** What an agent had git throw away of a person's changes is made again, where nobody has gone on from there. */
export async function giveBackFiles(
  place: CheckoutPlace,
  { loop, cwd }: Iteration,
  trace: readonly GitCommand[],
  committed: readonly Change[],
): Promise<void> {
  const { repo, view } = place;
  const note = readInPlaceNote(repo, loop);
  if (note === null || note.mine.length === 0 || commandsIn(cwd, trace, THROWS).length === 0) return;
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, cwd))?.commit;
  if (head == null) return;
  const files = await treeOfFiles(repo, cwd);
  // Who committed it since has gone on from there.
  const gone = new Set(committed.map(({ path }) => path));
  const mine = new Set(note.mine.filter((path) => !gone.has(path)));
  const isCleaned = commandsIn(cwd, trace, CLEANS).length > 0;
  const changed = new Set((await readChanges(view, await treeOf(view, head), files)).map(({ path }) => path));
  const found = (await readChanges(view, files, note.files)).filter(
    ({ path, before, after }) =>
      mine.has(path) &&
      (!changed.has(path) || (isCleaned && before === null)) &&
      before?.mode !== GITLINK &&
      after?.mode !== GITLINK,
  );
  // To read all files takes a while, in which somebody may have written these.
  const thrown = (await classify(cwd, view, found))
    .filter(({ change, remains }) => remains === (change.before === null ? 'absent' : 'before'))
    .map(({ change }) => change);
  for (const { path } of thrown.filter(({ after }) => after === null)) rmSync(onDisk(cwd, path), { force: true });
  const again = thrown.filter(({ after }) => after !== null).map(({ path }) => path);
  if (again.length === 0) return;
  await withPrivateIndex(place, null, async (index) => {
    await index.git(['read-tree', note.files]);
    const input = Buffer.from(again.map((path) => `${path}\0`).join(''), 'latin1');
    // Through the settings of the checkout, for they say what its files look like.
    const args = [...HARDENED, 'checkout-index', '-f', '-z', '--stdin'];
    await runGit(args, { cwd, env: { GIT_INDEX_FILE: index.file }, input });
  });
}
