import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HARDENED, runGit } from '../git/run-git.ts';
import { hashPath } from './checkout.ts';
import { isConfigKept } from './restore-checkout.ts';
import { gitAt, writtenMs } from './scene.ts';
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
export function findFiles(scene: Scene): FileFindings {
  const { checkout } = scene.before;
  // Who does not know what was there before cannot say what is new.
  if (checkout === null || checkout.isCut) return { findings: [], unclear: [] };
  const before = checkout.dirty;
  const after = unfolded(scene);
  const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
  const findings: Finding[] = [];
  const unclear: string[] = [];
  for (const path of changed) {
    const how = evidence(scene, path, after[path] ?? '');
    if (how === null && isTheirs(scene, path)) continue;
    if (how === null) unclear.push(nameOf(path));
    else findings.push(findingOf(scene, path, after[path] ?? '', how));
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

const nameOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** exact: what is in the file now is the agent's and nobody else's. */
type Evidence = 'exact' | 'told';

function evidence(scene: Scene, path: string, state: string): Evidence | null {
  const { repo } = scene.place;
  const file = join(repo.root, nameOf(path));
  const atMs = writtenMs(file);
  const isGits = atMs !== null && gitAt(scene, WRITES_FILES, atMs) !== undefined;
  if (isGits || scene.programmed(file)) return 'exact';
  if (!scene.told([file])) return null;
  // Users run the same formatter, and try what an agent has made: the same bytes alone say nothing about who wrote them.
  return isTwin(scene, path, state) && !isTheirs(scene, path) ? 'exact' : 'told';
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

function findingOf(scene: Scene, path: string, state: string, how: Evidence): Finding {
  const wasDirty = scene.before.checkout?.dirty[path] !== undefined;
  const name = nameOf(path);
  const verb = state.endsWith('gone') ? 'removed' : state.startsWith('?') ? 'made' : 'changed';
  const did = `${verb} ${name} in the main checkout`;
  const isFresh = state.startsWith('? ') && !wasDirty;
  const isIndexKept = scene.before.checkout?.indexHash === scene.after.checkout?.indexHash;
  const restorable = isFresh || (how === 'exact' && !wasDirty && isIndexKept);
  const restore = restorable ? () => putBack(scene, path, state) : null;
  return { did, keep: contentOf(scene, path), restore };
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
