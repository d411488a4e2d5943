import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { stageAll, writeTree } from '../git/files/snapshot.ts';
import type { GitView } from '../git/run/view.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { embeddedRepositories } from '../git/files/worktree-state.ts';

export interface Passage {
  readonly path: string;
  /** The files are those of this commit, of `to`, or some of each … */
  readonly from: Sha;
  /** … and are to become those of this one. */
  readonly to: Sha;
}

/** A tree of what a worktree holds, if any file of it is neither commit's and would be written over; null: nothing would be lost. */
export async function filesInTheWay(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  passage: Passage,
): Promise<Sha | null> {
  const { path, from, to } = passage;
  const folder = join(repo.stateDir, 'tmp');
  const index = join(folder, `index-${randomUUID()}`);
  const own = join(adminDirOf(repo, path) ?? repo.commonDir, 'index');
  mkdirSync(folder, { recursive: true });
  try {
    if (existsSync(own)) copyFileSync(own, index);
    const env = { GIT_INDEX_FILE: index };
    await stageAll(path, await embeddedRepositories(path, env), env);
    await stageIgnored(path, await added(view, from, to), env);
    const tree = await writeTree(path, env);
    const [unlikeFrom, unlikeTo] = await Promise.all([present(view, from, tree), present(view, to, tree)]);
    const foreign = new Set(unlikeFrom);
    return unlikeTo.some((name) => foreign.has(name)) ? tree : null;
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** git takes an ignored file for one that may be written over; here it may be somebody's settings. */
async function stageIgnored(
  path: string,
  names: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const blocked = new Set(names.flatMap((name) => blockerOf(path, name) ?? []));
  if (blocked.size === 0) return;
  const input = [...blocked].map((name) => `:(top,literal)${name}`).join('\0');
  await runGit([...HARDENED, 'add', '-f', '--pathspec-from-file=-', '--pathspec-file-nul'], { cwd: path, env, input });
}

/** What stands where a file is to come, or where a folder above it is. */
function blockerOf(path: string, name: string): string | null {
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const kind = lstatSync(join(path, part), { throwIfNoEntry: false });
    if (kind === undefined) return null;
    if (depth === parts.length || !kind.isDirectory()) return part;
  }
  return null;
}

const added = (view: GitView, from: Sha, to: Sha): Promise<string[]> => differing(view, 'A', from, to);
const present = (view: GitView, from: Sha, to: Sha): Promise<string[]> => differing(view, 'd', from, to);

async function differing(view: GitView, kinds: string, from: Sha, to: Sha): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `--diff-filter=${kinds}`, from, to, '--'];
  return (await view.run(args)).stdout.split('\0').filter((name) => name !== '');
}
