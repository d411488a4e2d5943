import { lstatSync } from 'node:fs';
import { sha } from '../../../core/model/ids.ts';
import { captureFolder } from './capture.ts';
import { DEEPLY } from '../run/distrust.ts';
import { gitFoldersOf, mayHoldLinks } from '../run/nested-programs.ts';
import { onDisk } from '../objects/raw-changes.ts';
import { HARDENED, listLinks, runGit, runGitBytes } from '../run/run-git.ts';
import { openView } from '../run/view.ts';
import { adminDirOf } from './worktree-admin.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';

/** The tree of everything in a worktree that git does not ignore. Its index and files stay as they are; no ref names the tree yet. */
export async function snapshotWorktree(repo: Repository, path: string): Promise<Sha> {
  const place = { repo, view: await openView(repo), ignored: [] };
  const adminDir = adminDirOf(repo, path) ?? repo.commonDir;
  return (await captureFolder(place, { path, adminDir, head: null })).tree;
}

/** Stages what is changed, new or gone, but never ignored files nor the given folders. */
export async function stageAll(
  path: string,
  without: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const inside = await repositoriesInside(path);
  const apart = [...without.map((name) => name.replace(/\/$/, '')), ...inside];
  const add = (pathspecs: readonly string[], flags: readonly string[] = []): ReturnType<typeof runGit> =>
    // Also where a sparse checkout usually has no files: what is there was made there.
    runGit([...HARDENED, ...flags, 'add', '-A', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'], {
      cwd: path,
      env,
      input: Buffer.from(pathspecs.join('\0'), 'latin1'),
    });
  await add(['.', ...apart.map((name) => `:(top,exclude,literal)${name}`)]);
  const links = inside.filter((name) => !without.some((one) => one.replace(/\/$/, '') === name));
  // git looks at their files by their own settings, and what puts those out of force must not touch the filters of ours.
  if (links.length > 0)
    await add(
      links.map((name) => `:(top,literal)${name}`),
      ['-c', DEEPLY],
    );
}

/** Links of the index where a repository stands; names are bytes as latin1 characters. */
async function repositoriesInside(path: string): Promise<readonly string[]> {
  const place = gitFoldersOf(path);
  const links = place !== null && mayHoldLinks(place) ? await listLinks(path) : [];
  const isThere = (name: string): boolean =>
    lstatSync(onDisk(path, `${name}/.git`), { throwIfNoEntry: false }) !== undefined;
  return links.filter(isThere);
}

export async function writeTree(path: string, env: Readonly<Record<string, string>> = {}): Promise<Sha> {
  const { stdout } = await runGit([...HARDENED, 'write-tree'], { cwd: path, env });
  return sha(stdout.trim());
}

/** Takes back repositories that somebody staged as bare links: a link without a place to fetch from is a lost folder. */
export async function unstageEmbedded(path: string): Promise<void> {
  const { stdout } = await runGitBytes(
    [...HARDENED, 'diff', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', 'HEAD'],
    { cwd: path },
  );
  const fields = stdout.toString('latin1').split('\0');
  const links: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (/^:(?!160000)\d{6} 160000 /.test(fields[at] ?? '')) links.push(fields[at + 1] ?? '');
  }
  if (links.length === 0) return;
  const submodules = await declaredSubmodules(path);
  const stray = links.filter((link) => !submodules.has(link));
  if (stray.length === 0) return;
  await runGit([...HARDENED, 'update-index', '--force-remove', '-z', '--stdin'], {
    cwd: path,
    input: Buffer.from(stray.join('\0'), 'latin1'),
  });
}

async function declaredSubmodules(path: string): Promise<ReadonlySet<string>> {
  const args = ['config', '--file', '.gitmodules', '-z', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: path, ok: [0, 1] });
  const entries = stdout.toString('latin1').split('\0');
  return new Set(entries.map((entry) => entry.slice(entry.indexOf('\n') + 1)));
}
