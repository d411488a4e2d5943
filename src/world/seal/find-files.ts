import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { hashPath } from './checkout.ts';
import { isKnownToGit, isSpelledOut, isWrittenOnce } from './holds-only-its-own.ts';
import { isConfigKept } from './restore-checkout.ts';
import { gitAt, nameOf, writtenMs } from './scene.ts';
import type { Finding, Scene, ToKeep } from './scene.ts';

const WRITES_FILES = new Set(
  'checkout switch restore reset stash clean apply rm mv merge pull rebase cherry-pick revert am checkout-index read-tree'.split(
    ' ',
  ),
);
const UNFOLDED_MAX = 200;
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

export interface FileFindings {
  readonly findings: readonly Finding[];
  /** Files of the checkout that changed meanwhile, and nobody can say by whom. */
  readonly unclear: readonly string[];
}

/** Files of the user's checkout that are not as they were. The user works there too, so only what is known counts. */
export async function findFiles(scene: Scene): Promise<FileFindings> {
  const { checkout } = scene.before;
  // Who does not know what was there before cannot say what is new.
  if (checkout === null || checkout.isCut) return { findings: [], unclear: [] };
  const before = checkout.dirty;
  const after = unfolded(scene);
  const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
  const findings: Finding[] = [];
  const unclear: string[] = [];
  for (const path of changed) {
    const how = evidence(scene, path);
    if (how === null && isTheirs(scene, path)) continue;
    if (how === null) unclear.push(nameOf(path));
    else findings.push(await findingOf(scene, path, after[path] ?? '', how));
  }
  return { findings, unclear };
}

/** What is different now, file by file: git tells of a new folder as one thing. Of one that was new before, nothing is known. */
function unfolded({ before, after, place }: Scene): Readonly<Record<string, string>> {
  const states: Record<string, string> = {};
  for (const [path, state] of Object.entries(after.checkout?.dirty ?? {})) {
    if (!state.endsWith(' folder')) states[path] = state;
    else if (before.checkout?.dirty[path] === undefined)
      for (const inside of filesBelow(place.repo.root, path)) states[inside] = `? ${hashPath(place.repo.root, inside)}`;
  }
  return states;
}

function filesBelow(root: string, folder: string): readonly string[] {
  const place = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder, 'latin1')]);
  const entries = readdirSync(place, { recursive: false, withFileTypes: true, encoding: 'latin1' } as const);
  // A repository of its own is nobody's file.
  if (entries.some(({ name }) => name === '.git')) return [];
  return entries
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(root, `${folder}${entry.name}/`) : [`${folder}${entry.name}`],
    )
    .slice(0, UNFOLDED_MAX);
}

/** A git command of its own at that moment, its own text, or its words. */
type Evidence = 'git' | 'text' | 'words';

function evidence(scene: Scene, path: string): Evidence | null {
  const file = join(scene.place.repo.root, nameOf(path));
  const atMs = writtenMs(file);
  if (atMs !== null && gitAt(scene, WRITES_FILES, atMs) !== undefined) return 'git';
  if (scene.programmed(file)) return 'text';
  // Users run the same formatter, and try what an agent has made: the same bytes alone say nothing about who wrote them.
  return scene.told([file]) ? 'words' : null;
}

/** Written while a loop worked there in place: loops that do the same write the same. */
const isTheirs = (scene: Scene, path: string): boolean =>
  scene.isTaken(writtenMs(join(scene.place.repo.root, nameOf(path))) ?? scene.toMs);

/** Byte for byte what the agent wrote to the same place in its own worktree meanwhile. */
function isTwin({ iteration, fromMs }: Scene, path: string, state: string): boolean {
  const atMs = writtenMs(join(iteration.cwd, nameOf(path)));
  if (atMs === null || atMs < fromMs) return false;
  const hash = hashPath(iteration.cwd, path);
  return /^x?[0-9a-f]{64}$/.test(hash) && !hash.endsWith(EMPTY) && state.slice(2) === hash;
}

const EMPTY = createHash('sha256').digest('hex');

async function findingOf(scene: Scene, path: string, state: string, how: Evidence): Promise<Finding> {
  const isPlain = await holdsOnlyItsOwn(scene, path, state, how);
  const isGone = state.endsWith('gone');
  const verb = isGone ? 'removed' : state.startsWith('?') && isPlain ? 'made' : 'changed';
  const left = isPlain || isGone ? '' : ' (left as it is: it may hold changes of yours)';
  const did = `${verb} ${nameOf(path)} in the main checkout${left}`;
  return { did, keep: contentOf(scene, path), restore: isPlain ? () => putBack(scene, path, state) : null };
}

/** It was as committed, or not there, when the iteration began, and all that is in it now is the agent's: so nothing is lost but that. */
async function holdsOnlyItsOwn(scene: Scene, path: string, state: string, how: Evidence): Promise<boolean> {
  const { before, after, place } = scene;
  if (before.checkout?.dirty[path] !== undefined) return false;
  if (state.startsWith('? ')) return isWrittenOnce(scene, join(place.repo.root, nameOf(path)));
  if (before.checkout?.indexHash !== after.checkout?.indexHash) return false;
  if (state.endsWith('gone')) return how !== 'words';
  if (isTwin(scene, path, state) && !isTheirs(scene, path)) return true;
  return how !== 'words' && ((await isKnownToGit(scene, path)) || isSpelledOut(scene, path));
}

function contentOf({ place }: Scene, path: string): readonly ToKeep[] {
  try {
    const bytes = readFileSync(join(place.repo.root, nameOf(path)));
    return bytes.length > KEPT_BYTES_MAX ? [] : [{ path: `checkout/${nameOf(path)}`, bytes, isExecutable: false }];
  } catch {
    return [];
  }
}

/** A new file goes, for it is kept; one that was as committed becomes so again. Only if it is still what the agent left. */
async function putBack(scene: Scene, path: string, state: string): Promise<string | null> {
  const { root } = scene.place.repo;
  const isKept = contentOf(scene, path).length > 0 || state.endsWith('gone');
  if (!isKept || hashPath(root, path) !== state.slice(2)) return null;
  if (state.startsWith('? ')) {
    rmSync(join(root, nameOf(path)));
    return `${nameOf(path)} taken out of the main checkout`;
  }
  if (!isConfigKept(scene)) return null;
  const args = [...HARDENED, 'checkout-index', '-f', '-u', '-z', '--stdin'];
  const { code } = await runGit(args, { cwd: root, input: Buffer.from(path, 'latin1'), ok: [0, 1, 128] });
  return code === 0 ? nameOf(path) : null;
}
