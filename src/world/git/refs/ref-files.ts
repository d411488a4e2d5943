import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';

export const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * A ref read from its file instead of by a process: hosts ask for refs all the time. Undefined: only git can tell (a symbolic
 * or damaged ref). A loose ref is looked for first, because packing writes the packed file before it removes loose ones.
 */
export function readRefFile(gitDir: string, ref: string): Sha | null | undefined {
  const loose = contentOf(join(gitDir, ref));
  if (loose === undefined) return undefined;
  if (loose !== null) {
    const id = loose.toString('latin1').trimEnd();
    return OBJECT_ID.test(id) ? sha(id) : undefined;
  }
  const packed = contentOf(join(gitDir, 'packed-refs'));
  if (packed === undefined) return undefined;
  const found = packed === null ? null : findPacked(packed, ref);
  // No such ref, or no such repository: the second must not look like the first.
  return found === null && !existsSync(join(gitDir, 'HEAD')) ? undefined : found;
}

/** Where a worktree stands, from its HEAD file. Undefined: only git can tell. */
export function readHeadFile(
  commonDir: string,
  adminDir: string,
): { readonly commit: Sha | null; readonly branch: string | null } | undefined {
  const bytes = contentOf(join(adminDir, 'HEAD'));
  const head = bytes?.toString('utf8').trimEnd();
  // A name that is no UTF-8 would lead to another branch.
  if (bytes == null || head === undefined || !isUtf8(bytes)) return undefined;
  if (OBJECT_ID.test(head)) return { commit: sha(head), branch: null };
  const ref = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
  const commit = ref === undefined ? undefined : readRefFile(commonDir, ref);
  return ref === undefined || commit === undefined ? undefined : { commit, branch: ref.slice('refs/heads/'.length) };
}

/** Byte by byte: names beside it may be no UTF-8. */
function findPacked(packed: Buffer, ref: string): Sha | null | undefined {
  const at = packed.indexOf(` ${ref}\n`);
  if (at === -1) return null;
  const id = packed.toString('latin1', packed.lastIndexOf('\n', at) + 1, at);
  return OBJECT_ID.test(id) ? sha(id) : undefined;
}

/** Null: there is no such file. Undefined: it cannot be read. A folder of that name (`a` beside `a/b`) is no ref. */
function contentOf(file: string): Buffer | null | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' ? null : undefined;
  }
}
