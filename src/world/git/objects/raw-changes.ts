import type { Sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

/** One side of a change; null: there is no such file on that side. */
export interface Side {
  readonly mode: string;
  readonly id: string;
}

export interface Change {
  /** Bytes as latin1 characters: the name of a file need not be text. */
  readonly path: string;
  readonly before: Side | null;
  readonly after: Side | null;
}

export const GITLINK = '160000';
export const SYMLINK = '120000';

/** What moving from one commit to another does to each file. A rename is a removal and an addition. */
export async function readChanges(view: GitView, from: Sha, to: Sha): Promise<readonly Change[]> {
  const { stdout } = await view.bytes(['diff-tree', '-r', '-z', ...RAW, from, to]);
  return parseChanges(stdout);
}

export const RAW = ['--raw', '--no-renames', '--no-abbrev'] as const;

/** What git prints with `-z` and these options. */
export function parseChanges(stdout: Buffer): readonly Change[] {
  const fields = stdout.toString('latin1').split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = '', modeAfter = '', idBefore = '', idAfter = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({ path: fields[at + 1] ?? '', before: side(modeBefore, idBefore), after: side(modeAfter, idAfter) });
  }
  return changes;
}

const side = (mode: string, id: string): Side | null => (mode === '000000' ? null : { mode, id });

/** A path of git as the file system takes it. */
export const onDisk = (worktree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${worktree}/`), Buffer.from(path, 'latin1')]);

/** A path of git as people read it. */
export const shown = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** The folders above a path, nearest to the root first. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** A change as `git update-index -z --index-info` takes it; a file that is gone has mode 0. */
export const indexLine = ({ path, before, after }: Change): string =>
  `${after?.mode ?? '0'} ${after?.id ?? '0'.repeat(before?.id.length ?? 40)}\t${path}\0`;
