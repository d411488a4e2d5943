import { chmodSync, lstatSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { makePrivateFolder, readJsonFile, removeQuietly, writePrivately } from '../os/files.ts';
import { commitTree } from '../git/objects/commit.ts';
import { unsigned } from '../git/run/identity.ts';
import type { Identity } from '../git/run/identity.ts';
import { onDisk, shown } from '../git/objects/raw-changes.ts';
import { deleteRef, readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import { writeKeepMessage } from '../keep/keep-message.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import { ifThere } from '../os/read-if-there.ts';
import type { Iteration } from '../contract/world.ts';
import { listIgnored } from './list-ignored.ts';
import type { IgnoredFile, IgnoredPatterns } from './list-ignored.ts';
import type { CheckoutPlace } from './take-checkout.ts';

export type IgnoredPlace = CheckoutPlace & {
  readonly identity: Identity;
  readonly ignored: readonly string[];
  readonly made: readonly string[];
};

/** What was ignored in a checkout before the last iteration in place, and what came of it. */
interface IgnoredNote {
  readonly version: 1;
  /** Null: there was nothing to keep. */
  readonly kept: { readonly ref: string; readonly commit: Sha } | null;
  readonly files: readonly IgnoredFile[];
  readonly beyond: readonly string[];
  /** What tools made and `worktree.keep` names; absent in older notes. */
  readonly made?: readonly string[];
  /** What the agent did to them, in words; null: nothing. */
  readonly said: string | null;
  /** Only the keep knows how some of them were. */
  readonly isChanged: boolean;
}

const NAMES_SHOWN = 5;

const fileOf = (repo: Repository, loop: LoopId): string => join(repo.stateDir, 'in-place', `${loop}-ignored.json`);

function readNote(repo: Repository, loop: LoopId): IgnoredNote | null {
  const value = readJsonFile(fileOf(repo, loop)) as Partial<IgnoredNote> | null;
  return value?.version === 1 ? (value as IgnoredNote) : null;
}

function writeNote(repo: Repository, loop: LoopId, note: IgnoredNote): void {
  makePrivateFolder(join(repo.stateDir, 'in-place'));
  writePrivately(fileOf(repo, loop), JSON.stringify(note));
}

/** Before an agent works in a person's checkout: what git ignores there has no other copy, so one is made. */
export async function keepIgnored(place: IgnoredPlace, { loop, cwd }: Iteration): Promise<void> {
  const { repo, view } = place;
  const { kept: files, beyond, made } = await listIgnored(cwd, { always: place.ignored, made: place.made });
  const before = readNote(repo, loop);
  const isSame = JSON.stringify(before?.files) === JSON.stringify(files);
  const isHeld = before?.kept != null && (await readRef(view, before.kept.ref)) === before.kept.commit;
  const rest = { version: 1, files, beyond: beyond.map(({ path }) => path), made, said: null } as const;
  if (isSame && (isHeld || files.length === 0))
    return writeNote(repo, loop, { ...rest, kept: before?.kept ?? null, isChanged: before?.isChanged ?? false });
  const kept = files.length === 0 ? null : await keepFiles(place, loop, cwd, files).catch(unlessNamed);
  const unkept = kept === null ? { files: [], beyond: [...rest.beyond, ...files.map(({ path }) => path)] } : {};
  writeNote(repo, loop, { ...rest, ...unkept, kept, isChanged: false });
  if (before !== null && !before.isChanged && before.kept?.ref !== kept?.ref) await letGo(place, before);
}

/** A name that git takes for its own, or a file that changes under its hands: nobody's work has to wait for that. */
function unlessNamed(error: unknown): null {
  const isGits = error instanceof AppError && error.code === 'E_GIT';
  if (isGits && !error.facts.some((fact) => /no space left|read-only/i.test(fact))) return null;
  throw error;
}

/** Through the view: the bytes as they are, whatever filter would be in their way. */
async function keepFiles(
  place: IgnoredPlace,
  loop: LoopId,
  cwd: string,
  files: readonly IgnoredFile[],
): Promise<{ readonly ref: string; readonly commit: Sha }> {
  const { view, identity } = place;
  const tree = await withPrivateIndex(place, cwd, async (index) => {
    await index.feed(
      ['update-index', '--add', '--remove'],
      files.map(({ path }) => path),
    );
    return index.writeTree();
  });
  const message = writeKeepMessage({
    act: 'in-place',
    why: `git ignores these files in ${cwd}, and an agent was about to work there`,
    loop,
    task: null,
    branch: null,
    tip: null,
    path: null,
    atMs: Date.now(),
    head: null,
    on: null,
    index: null,
    operation: null,
    files: files.length,
    together: null,
  });
  const commit = await commitTree(view, { tree, parents: [], message, identity: unsigned(identity) });
  const ref = await nameKept(view, { name: `${loop}-ignored`, commit, reason: 'paralph: kept', durable: true });
  return { ref, commit };
}

/** After the agent: what is gone is given back; what it changed is its doing, and how that was is kept. */
export async function giveBackIgnored(place: IgnoredPlace, { loop, cwd }: Iteration): Promise<void> {
  const { repo } = place;
  const note = readNote(repo, loop);
  if (note === null || note.said !== null) return;
  const now = new Map(note.files.map((file) => [file, statOf(cwd, file.path)]));
  const gone = note.files.filter((file) => now.get(file) === undefined);
  const changed = note.files.filter((file) => {
    const stat = now.get(file);
    return stat !== undefined && (stat.size !== file.size || stat.mtimeMs !== file.mtimeMs);
  });
  const isLost = (path: string): boolean => statOf(cwd, path.replace(/\/$/, '')) === undefined;
  const lost = note.beyond.filter(isLost);
  const unmade = (note.made ?? []).filter(isLost);
  if (note.kept !== null) await checkOut(place, cwd, note.kept.commit, gone);
  const back = gone.filter((file) => statOf(cwd, file.path) !== undefined);
  const missing = gone.filter((file) => !back.includes(file));
  const how = note.kept === null ? '' : ` (as before: git show ${note.kept.ref}:FILE)`;
  const said = [
    sentence('ignored files that the agent removed are given back', back),
    sentence(
      `ignored files that the agent changed stay so${how}`,
      changed.filter(({ isNamed }) => isNamed),
    ),
    sentence(`ignored files could not be given back${how}`, missing),
    sentence(
      'ignored files that were too large or too many to be kept are gone',
      lost.map((path) => ({ path })),
    ),
    sentence(
      'what worktree.keep names is made by tools, is not kept here, and is gone',
      unmade.map((path) => ({ path })),
    ),
  ].filter((one) => one !== null);
  const isChanged = note.isChanged || changed.length + missing.length > 0;
  writeNote(repo, loop, { ...note, isChanged, said: said.length === 0 ? null : said.join('; ') });
}

async function checkOut(place: IgnoredPlace, cwd: string, commit: Sha, gone: readonly IgnoredFile[]): Promise<void> {
  if (gone.length === 0) return;
  await withPrivateIndex(place, cwd, async (index) => {
    await index.git(['read-tree', commit]);
    await index.feed(
      ['checkout-index', '-q'],
      gone.map(({ path }) => path),
    );
  });
  for (const { path, mode, mtimeMs } of gone) {
    const stat = statOf(cwd, path);
    if (stat?.isFile() !== true) continue;
    chmodSync(onDisk(cwd, path), mode & 0o7777);
    utimesSync(onDisk(cwd, path), new Date(), mtimeMs / 1000);
  }
}

const statOf = (cwd: string, path: string): ReturnType<typeof lstatSync> | undefined =>
  ifThere(() => lstatSync(onDisk(cwd, path), { throwIfNoEntry: false }));

function sentence(what: string, files: readonly Pick<IgnoredFile, 'path'>[]): string | null {
  return files.length === 0 ? null : `${what}: ${namesOf(files.map(({ path }) => path))}`;
}

function namesOf(paths: readonly string[]): string {
  const more = paths.length - NAMES_SHOWN;
  return `${paths.slice(0, NAMES_SHOWN).map(shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What became of ignored files in the last iteration, in words; null: nothing. */
export const saidOfIgnored = (repo: Repository, loop: LoopId): string | null => readNote(repo, loop)?.said ?? null;

/** Nobody works there any more, and all that was kept is there as it was: nothing has to be held for it. */
export async function forgetIgnored(place: CheckoutPlace, loop: LoopId): Promise<void> {
  const note = readNote(place.repo, loop);
  if (note === null || note.isChanged) return;
  await letGo(place, note);
  removeQuietly(fileOf(place.repo, loop));
}

async function letGo({ view }: CheckoutPlace, { kept }: IgnoredNote): Promise<void> {
  if (kept !== null) await deleteRef(view, kept.ref, kept.commit);
}

/** What would be gone for good if an agent removed it, in one line; null: nothing. */
export async function unkeptLine(cwd: string, patterns: IgnoredPatterns): Promise<string | null> {
  const { beyond } = await listIgnored(cwd, patterns);
  if (beyond.length === 0) return null;
  return `not kept while the agent works here, because they are too large or too many: ${namesOf(beyond.map(({ path }) => path))}; a worktree does without them: --worktree`;
}
