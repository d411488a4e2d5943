import type { Change } from '../git/objects/raw-changes.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit, runGitBytes } from '../git/run/run-git.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { patiently } from '../git/run/patiently.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { Iteration } from '../contract/world.ts';
import { commandsIn } from './commands-in.ts';
import { gitDirOf } from '../checkout/files-tree.ts';
import { readInPlaceNote, writeInPlaceNote } from '../checkout/in-place-note.ts';
import type { InPlaceNote } from '../checkout/in-place-note.ts';

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
