import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import type { Ecosystem } from '../../text/feature/ecosystems.ts';
import { LOCK_FILES, ecosystemsOf } from '../../text/feature/ecosystems.ts';
import { keptInGates, keptInLoops } from '../../text/feature/kept-names.ts';
import type { Setup } from './run-setup.ts';
import { plainView } from '../git/run/view.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { readTree } from '../git/objects/trees.ts';
import { uninstalledPython } from '../../text/feature/uninstalled-python.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { readTail } from '../os/tail.ts';

/** What a worktree at a commit needs before somebody works in it, by what the commit holds. */
export interface SetupPlan {
  readonly setup: Setup;
  /** The user wrote it: that it works is not for us to doubt. */
  readonly isConfigured: boolean;
  /** Changes with the commands and with every lock file. */
  readonly key: string;
  /** Ignored files that stay, as in .gitignore. */
  readonly kept: { readonly loops: readonly string[]; readonly gates: readonly string[] };
}

/** Only what a lock file pins is installed by itself: without one, two worktrees would get two different things. */
export async function planSetup(repo: Repository, { setup, keep }: WorktreeSettings, commit: Sha): Promise<SetupPlan> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await runGit([...HARDENED, ...args], { cwd: repo.commonDir })).stdout;
  const top = (await readTree(plainView(repo), commit)).map(({ name, ...entry }) => ({ ...entry, path: name }));
  const names = top.map(({ path }) => path);
  const manifest = top.find(({ path, type }) => path === 'package.json' && type === 'blob');
  const manager = manifest === undefined ? null : packageManagerOf(await git('cat-file', 'blob', manifest.id));
  const found = ecosystemsOf(names, manager);
  const isConfigured = setup !== null;
  const chosen = found.filter(({ lock }) => lock !== null);
  const all = isConfigured ? readList(await git('ls-tree', '-r', '-z', commit)) : top;
  const locks = all.filter(({ path }) => LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1)));
  const commands = isConfigured ? setup : chosen.map((one: Ecosystem) => one.commands);
  return {
    setup: isConfigured ? { lines: setup } : { ecosystems: chosen },
    isConfigured,
    key: createHash('sha256')
      .update(JSON.stringify([commands, locks.map(({ path, id }) => [path, id])]))
      .digest('hex'),
    kept: { loops: keptInLoops(found, keep), gates: keptInGates(found, keep) },
  };
}

/** Whether anything is to be run at all. */
export const isNothing = ({ setup }: SetupPlan): boolean =>
  'lines' in setup ? setup.lines.length === 0 : setup.ecosystems.length === 0;

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly path: string;
}

function readList(output: string): readonly Entry[] {
  return output.split('\0').flatMap((line) => {
    const [, type, id, path] = /^\d+ (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return type === undefined || id === undefined || path === undefined ? [] : [{ type, id, path }];
  });
}

const MANIFEST_BYTES_MAX = 1024 * 1024;

/** What a folder is made with, by the files at its top. */
export function detectEcosystems(folder: string): readonly Ecosystem[] {
  const names = namesIfThere(folder);
  return ecosystemsOf(names, names.includes('package.json') ? packageManagerIn(join(folder, 'package.json')) : null);
}

/** What nothing is installed for, though it looks as if something had to be, in a line; null: all is done, or the user says what to do. */
export function whatIsLeftOut(folder: string, setup: Setup): string | null {
  if ('lines' in setup) return null;
  try {
    return uninstalledPython(setup.ecosystems, readTail(join(folder, 'pyproject.toml'), MANIFEST_BYTES_MAX));
  } catch {
    return null;
  }
}

function packageManagerIn(file: string): string | null {
  try {
    return packageManagerOf(readTail(file, MANIFEST_BYTES_MAX));
  } catch {
    return null;
  }
}

/** What a package.json says it is installed with. */
function packageManagerOf(text: string): string | null {
  try {
    const { packageManager } = JSON.parse(text) as { packageManager?: unknown };
    return typeof packageManager === 'string' ? packageManager : null;
  } catch {
    return null;
  }
}

/** Folders, as in .gitignore, whose content can be made again: as `worktree.keep` names them, or by what the project is made with. */
export const madeFolders = (root: string, keep: readonly string[] | null): readonly string[] =>
  keptInLoops(detectEcosystems(root), keep);
