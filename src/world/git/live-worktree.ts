import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../../core/ids.ts';
import type { Sha } from '../../core/ids.ts';
import { copyIndex } from './copy-index.ts';
import { readHeadFile } from './ref-files.ts';
import type { Repository } from './repository.ts';
import type { ThrowawayObjects } from './throwaway-objects.ts';
import type { GitView } from './view.ts';
import { adminDirOf, operationIn } from './worktree-admin.ts';
import { ifThere } from '../processes/read-if-there.ts';

/** Larger files are left as they were: reading them again and again would cost more than the warning is worth. */
const FILE_BYTES_MAX = 16n * 1024n * 1024n;
/** Somebody who forgot to ignore a folder of dependencies has more. */
const PATHS_MAX = 5000;

/** A worktree somebody works in, at one moment. */
export interface LiveWorktree {
  readonly path: string;
  readonly index: string;
  readonly head: Sha;
  /** Paths that differ from the index, as bytes in latin1. */
  readonly dirty: readonly string[];
  /** Equal for two looks between which nothing changed. */
  readonly mark: string;
}

export interface LivePlace {
  readonly repo: Repository;
  readonly view: GitView;
  /** Files with patterns of what is ignored besides the project's own. */
  readonly excludes: readonly string[];
}

/**
 * Looks at a worktree without touching it. Through the view, because a filter planted in the repository's config would run in
 * us. Null: it is gone, or in the middle of something only its owner understands.
 */
export async function lookAtLive({ repo, view, excludes }: LivePlace, path: string): Promise<LiveWorktree | null> {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null || !existsSync(path) || operationIn(adminDir) !== null) return null;
  const index = join(adminDir, 'index');
  const before = lstatSync(index, { bigint: true, throwIfNoEntry: false });
  const head = readHeadFile(repo.commonDir, adminDir)?.commit;
  if (before === undefined || head == null) return null;
  const args = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const { stdout } = await view.bytes([...args, ...excludes.map((file) => `--exclude-from=${file}`)], {
    workTree: path,
    env: { GIT_INDEX_FILE: index },
  });
  // A repository inside ends in a slash, and would be a link to nowhere.
  const named = stdout
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '' && !name.endsWith('/'));
  const dirty = [...new Set(named)].sort().slice(0, PATHS_MAX);
  const hash = createHash('sha256').update(`${head} ${statMark(before)}`);
  for (const name of dirty) hash.update(`${name}\0${statMark(statOf(path, name))}\0`);
  return { path, index, head, dirty, mark: hash.digest('hex') };
}

/** The tree of everything in it that is not ignored. Its index and files stay as they are; the tree is written aside. */
export async function snapshotLive(view: GitView, live: LiveWorktree, objects: ThrowawayObjects): Promise<Sha> {
  const index = join(objects.folder, `index-${randomUUID()}`);
  // A copy knows which files are unchanged, and nobody waits for its lock.
  copyIndex(live.index, index);
  const options = { workTree: live.path, env: { ...objects.env, GIT_INDEX_FILE: index } };
  const taken = live.dirty.filter((name) => isTaken(statOf(live.path, name)));
  if (taken.length > 0)
    await view.bytes(
      ['-c', 'core.looseCompression=0', 'update-index', '-z', '--add', '--remove', '--replace', '--stdin'],
      {
        ...options,
        input: Buffer.from(`${taken.join('\0')}\0`, 'latin1'),
      },
    );
  const { stdout } = await view.run(['-c', 'core.looseCompression=0', 'write-tree', '--missing-ok'], options);
  return sha(stdout.trim());
}

const statOf = (path: string, name: string): BigIntStats | undefined =>
  ifThere(() =>
    lstatSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')]), {
      bigint: true,
      throwIfNoEntry: false,
    }),
  );

/** Also what is gone: that is a change like any other. Pipes and devices are no content, and reading one may never end. */
function isTaken(stat: BigIntStats | undefined): boolean {
  if (stat === undefined || stat.isSymbolicLink() || stat.isDirectory()) return true;
  return stat.isFile() && stat.size <= FILE_BYTES_MAX;
}

const statMark = (stat: BigIntStats | undefined): string =>
  stat === undefined ? 'gone' : [stat.mode, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
