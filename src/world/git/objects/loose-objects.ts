import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { cannotWrite } from '../../os/errno.ts';
import type { GitView } from '../run/view.ts';

export type ObjectType = 'blob' | 'tree' | 'commit';

export interface GitObject {
  readonly type: string;
  readonly content: Buffer;
}

/** A train makes several objects for each of its cars, and starting git costs more than all of them. */
export async function writeObject(view: GitView, type: ObjectType, content: Buffer): Promise<Sha> {
  if (view.isShared) return writeByGit(view, type, content);
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash(view.objectFormat).update(bytes).digest('hex');
  const folder = join(view.refsDir, 'objects', id.slice(0, 2));
  const file = join(folder, id.slice(2));
  if (existsSync(file)) return sha(id);
  // Named as git names its own, so that its housekeeping knows a leftover.
  const made = join(folder, `tmp_obj_${randomUUID()}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(made, deflateSync(bytes, { level: 1 }), { mode: 0o444, flag: 'wx' });
    renameSync(made, file);
  } catch (error) {
    rmSync(made, { force: true });
    throw cannotWrite(folder, error);
  }
  return sha(id);
}

/** Files in a repository that several people share have rights only git knows how to give. */
async function writeByGit(view: GitView, type: ObjectType, content: Buffer): Promise<Sha> {
  const args = ['hash-object', '-w', '-t', type, '--no-filters', '--stdin'];
  return sha((await view.run(args, { input: content })).stdout.trim());
}

/** An object that was written lately lies by itself. Null: packed, elsewhere, or damaged; only git can tell. */
export function readLooseObject(view: GitView, id: string): GitObject | null {
  try {
    const bytes = inflateSync(readFileSync(join(view.refsDir, 'objects', id.slice(0, 2), id.slice(2))));
    const end = bytes.indexOf(0);
    const [type = '', length] = bytes.subarray(0, end).toString('latin1').split(' ');
    const content = bytes.subarray(end + 1);
    const isWhole =
      content.length === Number(length) && createHash(view.objectFormat).update(bytes).digest('hex') === id;
    return isWhole ? { type, content } : null;
  } catch {
    return null;
  }
}
