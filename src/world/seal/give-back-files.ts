import { rmSync } from 'node:fs';
import type { Change } from '../git/objects/raw-changes.ts';
import { readChanges, GITLINK, onDisk } from '../git/objects/raw-changes.ts';
import { classify } from '../checkout/publish-classify.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { treeOf } from '../git/objects/tree-edit.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { Iteration } from '../contract/world.ts';
import { commandsIn } from './commands-in.ts';
import { gitDirOf, treeOfFiles } from '../checkout/files-tree.ts';
import { readInPlaceNote } from '../checkout/in-place-note.ts';
import type { CheckoutPlace } from '../checkout/take-checkout.ts';

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
