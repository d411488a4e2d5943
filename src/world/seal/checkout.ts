import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { ifThere } from '../os/read-if-there.ts';

/** The user's checkout: what its index holds, and how its files differ from that. Paths are bytes as latin1 characters. */
export interface Checkout {
  readonly indexHash: string;
  /** What is staged is what HEAD holds. */
  readonly isIndexHead: boolean;
  /** Hashes of changed (`M`) and new (`?`) files, `gone` where there is none. */
  readonly dirty: Readonly<Record<string, string>>;
  /** There are more, which nobody looked at. */
  readonly isCut: boolean;
}

const DIRTY_MAX = 500;
const HASHED_BYTES_MAX = 4 * 1024 * 1024;
/** Ours, and what Beads writes down of its issues; what makes git or `bd` run programs is a person's. */
const NOT_THEIRS = /^\.ralph\/|^\.beads(?:$|\.|\/(?!hooks\/|config))/;

/**
 * Looks through the view: no filter, fsmonitor or hook an agent may have planted runs, and the index is only read. What git
 * takes for changed is judged by its bytes, so nothing has to be converted.
 */
export function openCheckoutLook(repo: Repository, view: GitView): () => Promise<Checkout | null> {
  const indexFile = join(repo.commonDir, 'index');
  const options = { workTree: repo.root, env: { GIT_INDEX_FILE: indexFile } };
  const bytes = async (...args: readonly string[]): Promise<string> =>
    (await view.bytes(args, options)).stdout.toString('latin1');
  const hasCheckout = repo.commonDir === join(repo.root, '.git');
  let known: { readonly key: string; readonly hash: string; readonly isHead: boolean } | null = null;

  async function lookAtIndex(): Promise<{ readonly hash: string; readonly isHead: boolean }> {
    const head = readHeadFile(repo.commonDir, repo.commonDir)?.commit ?? null;
    const stat = statSync(indexFile, { throwIfNoEntry: false });
    const key = `${head} ${stat?.ino} ${stat?.mtimeMs} ${stat?.size}`;
    if (known?.key === key) return known;
    const hash = createHash('sha256')
      .update(await bytes('ls-files', '-s', '-z'))
      .digest('hex');
    const staged = head === null ? 'x' : await bytes('diff-index', '--cached', '--raw', '-z', '--no-renames', head);
    known = { key, hash, isHead: staged === '' };
    return known;
  }

  async function lookAtFiles(): Promise<Checkout> {
    const [index, changed, fresh] = await Promise.all([
      lookAtIndex(),
      bytes('diff-files', '--name-only', '-z', '--no-renames', '--ignore-submodules=all'),
      bytes('ls-files', '--others', '--directory', '--no-empty-directory', '-z', ...excludes(repo)),
    ]);
    const paths = [...named(changed).map((path) => ['M', path]), ...named(fresh).map((path) => ['?', path])] as const;
    const theirs = paths.filter(([, path]) => path !== undefined && !NOT_THEIRS.test(path));
    const dirty: Record<string, string> = {};
    for (const [kind = '', path = ''] of theirs.slice(0, DIRTY_MAX))
      dirty[path] = `${kind} ${hashPath(repo.root, path)}`;
    return { indexHash: index.hash, isIndexHead: index.isHead, dirty, isCut: theirs.length > DIRTY_MAX };
  }

  return async () => {
    if (!hasCheckout) return null;
    try {
      return await lookAtFiles();
    } catch (error) {
      // An index that git cannot read is the user's trouble, and no reason for loops to stand still.
      if (error instanceof AppError) return null;
      throw error;
    }
  };
}

const named = (list: string): readonly string[] => list.split('\0').filter((path) => path !== '');

/** The user's own lists of what git need not see; the view knows none of them. */
function excludes(repo: Repository): readonly string[] {
  const config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const lists = [join(repo.commonDir, 'info/exclude'), join(config, 'git/ignore')];
  return [
    '--exclude-per-directory=.gitignore',
    ...lists.filter((file) => existsSync(file)).map((file) => `--exclude-from=${file}`),
  ];
}

/** The id git would give these bytes, so that it can be compared with what a commit holds. */
export function hashPath(root: string, path: string): string {
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const stat = ifThere(() => lstatSync(file, { throwIfNoEntry: false }));
  if (stat === undefined) return 'gone';
  if (stat.isDirectory()) return 'folder';
  if (stat.size > HASHED_BYTES_MAX || !(stat.isFile() || stat.isSymbolicLink())) return `${stat.size} ${stat.mtimeMs}`;
  try {
    const content = stat.isSymbolicLink() ? readlinkSync(file, { encoding: 'buffer' }) : readFileSync(file);
    return `${(stat.mode & 0o111) === 0 ? '' : 'x'}${createHash('sha256').update(content).digest('hex')}`;
  } catch {
    return 'unreadable';
  }
}
