import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

/** Paths (bytes as latin1) of the `.gitattributes` of a tree, with their blobs. */
type AttributeFiles = ReadonlyMap<string, string>;

const EMPTY_TREE = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

/** The last answer of each view: the next commit asked about differs little from it, and git compares fast. */
const lastSeen = new WeakMap<GitView, { readonly commit: string; readonly files: AttributeFiles }>();

/**
 * A folder that holds exactly the `.gitattributes` of a commit. git reads them from the folder it works in, so without one
 * a merge would obey whatever lies in somebody's checkout, or ignore what the project committed.
 */
export async function attributeFolder(view: GitView, commit: Sha): Promise<string> {
  const files = await attributeFiles(view, commit);
  const all = join(dirname(view.gitDir), 'attributes');
  const folder = join(all, keyOf(files));
  if (existsSync(folder)) return folder;
  mkdirSync(all, { recursive: true, mode: 0o700 });
  const aside = mkdtempSync(join(all, 'new-'));
  for (const [path, blob] of files) {
    const target = Buffer.concat([Buffer.from(`${aside}/`), Buffer.from(path, 'latin1')]);
    mkdirSync(target.subarray(0, target.lastIndexOf('/')), { recursive: true });
    writeFileSync(target, (await view.bytes(['cat-file', 'blob', blob])).stdout);
  }
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function attributeFiles(view: GitView, commit: Sha): Promise<AttributeFiles> {
  const last = lastSeen.get(view);
  if (last?.commit === commit) return last.files;
  // The commit compared with may have been collected meanwhile; nothing is ever missing from the empty tree.
  const known = last === undefined ? null : await filesChanged(view, last.commit, last.files, commit);
  const files = known ?? (await filesChanged(view, EMPTY_TREE[commit.length === 64 ? 64 : 40], new Map(), commit));
  if (files === null) throw new AppError('E_GIT', `${commit} is not a commit of this repository`);
  lastSeen.set(view, { commit, files });
  return files;
}

/** The attribute files of `to`, given those of `from`; null when one of the two cannot be read. */
async function filesChanged(
  view: GitView,
  from: string,
  filesThen: AttributeFiles,
  to: string,
): Promise<AttributeFiles | null> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to, '--', ':(glob)**/.gitattributes'];
  const diff = await view.bytes(args, { ok: [0, 128] });
  if (diff.code !== 0) return null;
  const files = new Map(filesThen);
  const fields = diff.stdout.toString('latin1').split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] ?? '';
    const [, mode = '', , blob = ''] = (fields[at] ?? '').split(' ');
    // git reads no attributes through a link either.
    if (mode.startsWith('100') && !/(^|\/)(\.{0,2}|\.git)(\/|$)/i.test(path)) files.set(path, blob);
    else files.delete(path);
  }
  return files;
}

function keyOf(files: AttributeFiles): string {
  const hash = createHash('sha256');
  for (const [path, blob] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${path}\0${blob}\0`);
  return hash.digest('hex').slice(0, 32);
}
