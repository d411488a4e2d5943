import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../core/model/shell-word.ts';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import { isCarried } from '../../text/feature/carry-patterns.ts';
import { detectEcosystems } from './setup-plan.ts';
import { wordsOf } from './run-setup.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { namesIfThere } from '../os/read-if-there.ts';

export type FreshSettings = Pick<WorktreeSettings, 'copy' | 'submodules' | 'setup'>;

/** Folders that are installed and never committed. */
const INSTALLED = ['node_modules', '.venv', 'venv'];
const ENVIRONMENT = /^\.env(?:\..+)?$/;
/** Files that only show what the real ones look like. */
const SAMPLE = /\.(?:example|sample|template|dist|defaults?)$/;
const SUBMODULE_PATH = /^\s*path\s*=\s*(.+?)\s*$/gm;

/**
 * What a person's checkout has and a fresh worktree of the same commit lacks, each with the setting that brings it. `path`:
 * such a worktree; null: as the settings would make it.
 */
export async function lacksWhenFresh(
  root: string,
  path: string | null,
  fresh: FreshSettings,
): Promise<readonly string[]> {
  const installed = INSTALLED.filter((name) => isFolder(join(root, name)));
  const files = namesIfThere(root).filter((name) => ENVIRONMENT.test(name) && !SAMPLE.test(name));
  const tracked = await trackedOf(root, [...installed, ...files]);
  const lacks = (name: string, isBrought: boolean): boolean =>
    path === null ? !isBrought && !tracked.has(name) : !existsSync(join(path, name));
  const modules = submodulesOf(path ?? root);
  return [
    ...installed
      .filter((name) => lacks(name, isInstalling(root, fresh)))
      .map((name) => `a fresh worktree has no ${name}; bring it: ${setting('setup', installLines(root, fresh))}`),
    ...modules
      .filter((name) => (path === null ? !fresh.submodules : isEmpty(join(path, name))))
      .map((name) => `the submodule ${name} is empty in a fresh worktree; bring it: ${setting('submodules', true)}`),
    ...files
      .filter((name) => lacks(name, isCarried(fresh, name)))
      .map((name) => `a fresh worktree has no ${name}; bring it: ${setting('copy', [...fresh.copy, name])}`),
  ];
}

const setting = (name: string, value: unknown): string =>
  `ralph config set worktree.${name} ${typeof value === 'boolean' ? String(value) : shellWord(JSON.stringify(value))}`;

const isInstalling = (root: string, { setup }: FreshSettings): boolean => (setup ?? detectEcosystems(root)).length > 0;

/** What installs it, after what is set already. */
function installLines(root: string, fresh: FreshSettings): readonly string[] {
  const setup = fresh.setup ?? [];
  const found = detectEcosystems(root).flatMap(({ commands }) => commands.map(wordsOf));
  const lines = [...setup, ...found.filter((line) => !setup.includes(line))];
  return lines.length > 0 ? lines : ['npm install'];
}

function submodulesOf(folder: string): readonly string[] {
  const file = join(folder, '.gitmodules');
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  return [...readFileSync(file, 'utf8').matchAll(SUBMODULE_PATH)].map((match) => match[1] ?? '');
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const isEmpty = (path: string): boolean => !isFolder(path) || readdirSync(path).length === 0;

async function trackedOf(root: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { stdout } = await runGit([...HARDENED, '--literal-pathspecs', 'ls-files', '-z', '--', ...names], {
    cwd: root,
  });
  return new Set(stdout.split('\0').map((name) => name.split('/')[0] ?? ''));
}
