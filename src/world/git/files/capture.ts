import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { matchProtected } from '../../../text/protected-paths.ts';
import { copyIndex, fillIndex, withPrivateIndex } from './private-index.ts';
import { ignoreFiles } from './ignore-files.ts';
import { HARDENED, runGitBytes } from '../run/run-git.ts';
import { treeOf } from '../objects/trees.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';
import type { GitView } from '../run/view.ts';
import type { PrivateIndex } from './private-index.ts';

export interface CapturePlace {
  readonly repo: Repository;
  readonly view: GitView;
  /** Ignored files that are kept all the same. */
  readonly ignored: readonly string[];
}

export interface Folder {
  readonly path: string;
  /** null: git knows no worktree here, so there is no index. */
  readonly adminDir: string | null;
  /** The commit its files are compared with. */
  readonly head: Sha | null;
}

export interface Captured {
  /** Every file. */
  readonly tree: Sha;
  /** What was staged; null: nothing, or the index cannot be read. */
  readonly index: Sha | null;
  /** Both sides of conflicts that were not resolved: `mode id stage<TAB>path`. */
  readonly unmerged: readonly string[];
  /** Repositories inside, which are not captured. Names are bytes as latin1 characters. */
  readonly embedded: readonly string[];
}

/** Writes a folder's files and index as trees. The folder, its index and its HEAD stay as they are; no ref names the trees yet. */
export async function captureFolder(place: CapturePlace, folder: Folder): Promise<Captured> {
  const headTree = folder.head === null ? null : await treeOf(place.view, folder.head);
  return withPrivateIndex(place, folder.path, async (index) => {
    const entries = await loadIndex(index, folder, headTree);
    const unmerged = entries.filter((entry) => entry.stage !== '0');
    const apart = [...new Set(unmerged.map((entry) => entry.path))];
    await index.feed(['update-index', '--force-remove'], apart);
    const staged = await stagedTree(index, headTree);
    await showHidden(index, folder.path, entries);
    const embedded = await stageEverything(place, index, folder.path, entries, apart);
    return {
      tree: await index.writeTree(),
      index: staged === headTree ? null : staged,
      unmerged: unmerged.map(({ mode, id, stage, path }) => `${mode} ${id} ${stage}\t${path}`),
      embedded,
    };
  });
}

interface Entry {
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
  readonly path: string;
}

const LIST_INDEX = ['ls-files', '-v', '-s', '-z'] as const;

/** A copy knows which files are unchanged, so only the others are read. One that cannot be read is as good as none. */
async function loadIndex(
  index: PrivateIndex,
  { path, adminDir }: Folder,
  headTree: Sha | null,
): Promise<readonly Entry[]> {
  const own = adminDir === null ? null : join(adminDir, 'index');
  if (own !== null && existsSync(own)) {
    try {
      copyIndex(own, index.file);
      return (await index.list(...LIST_INDEX)).map(readEntry);
    } catch {
      // Damaged, or of a kind that refers to further files beside it: git itself may still know.
      rmSync(index.file, { force: true });
    }
    try {
      const { stdout } = await runGitBytes([...HARDENED, ...LIST_INDEX], {
        cwd: path,
        env: { GIT_DIR: adminDir ?? '' },
      });
      const entries = stdout
        .toString('latin1')
        .split('\0')
        .filter((line) => line !== '')
        .map(readEntry);
      await fillIndex(
        index,
        entries.map(({ mode, id, stage, path: name }) => `${mode} ${id} ${stage}\t${name}`),
      );
      return entries;
    } catch {
      // Then nothing is known of what was staged; the files are.
    }
  }
  await index.git(['read-tree', ...(headTree === null ? ['--empty'] : ['--reset', headTree])]);
  return (await index.list(...LIST_INDEX)).map(readEntry);
}

function readEntry(line: string): Entry {
  const [, tag = '', mode = '', id = '', stage = '', path = ''] =
    /^(\S) (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
  return { tag, mode, id, stage, path };
}

/** An index may name objects that are gone; then what was staged is gone too, and the files are what there is. */
async function stagedTree(index: PrivateIndex, headTree: Sha | null): Promise<Sha | null> {
  try {
    return await index.writeTree();
  } catch {
    await index.git(['read-tree', ...(headTree === null ? ['--empty'] : ['--reset', headTree])]);
    return headTree;
  }
}

/** Files marked assume-unchanged or skip-worktree would stay out of sight. Those that are not there were never checked out. */
async function showHidden(index: PrivateIndex, folder: string, entries: readonly Entry[]): Promise<void> {
  const hidden = entries.filter(({ tag, path }) => /[a-zS]/.test(tag) && kindAt(folder, path) !== null);
  const names = hidden.map((entry) => entry.path);
  await index.feed(['update-index', '--no-assume-unchanged'], names);
  await index.feed(['update-index', '--no-skip-worktree'], names);
}

/** Stages what is changed, new or gone, and gives the repositories inside, which cannot be. */
async function stageEverything(
  place: CapturePlace,
  index: PrivateIndex,
  folder: string,
  entries: readonly Entry[],
  apart: readonly string[],
): Promise<readonly string[]> {
  const links = new Set(entries.filter((entry) => entry.mode === '160000').map((entry) => entry.path));
  const { changed, gone } = await changedFiles(index);
  const rules = [
    '--exclude-per-directory=.gitignore',
    ...(await ignoreFiles(place.repo)).map((file) => `--exclude-from=${file}`),
  ];
  const others = await index.list('ls-files', '--others', '-z', ...rules);
  const ignored =
    place.ignored.length === 0 ? [] : await index.list('ls-files', '--others', '--ignored', '-z', ...rules);
  const wanted = new Set([...changed, ...others, ...matching(ignored, place.ignored)]);
  for (const name of apart) if (kindAt(folder, name) === 'file') wanted.add(name);
  await index.feed(['update-index', '--force-remove'], gone);
  const files = [...wanted].filter((name) => !name.endsWith('/') && !links.has(name));
  await index.feed(['update-index', '--add', '--remove', '--replace'], files);
  const inside = [...links].filter((name) => kindAt(folder, `${name}/.git`) !== null);
  return [...others.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)), ...inside];
}

async function changedFiles(
  index: PrivateIndex,
): Promise<{ readonly changed: readonly string[]; readonly gone: readonly string[] }> {
  const fields = await index.list('diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=all');
  const changed: string[] = [];
  const gone: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) (fields[at] === 'D' ? gone : changed).push(fields[at + 1] ?? '');
  return { changed, gone };
}

/** The names that one of the patterns fits; the patterns are text, and so are such names. */
function matching(names: readonly string[], patterns: readonly string[]): readonly string[] {
  const byText = new Map(names.map((name) => [Buffer.from(name, 'latin1').toString('utf8'), name]));
  return matchProtected([...byText.keys()], patterns).map((text) => byText.get(text) ?? text);
}

function kindAt(folder: string, name: string): 'file' | 'folder' | null {
  const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}
