import { join, resolve } from 'node:path';
import { mkdirSync } from 'node:fs';
import { AppError } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';
import { openThrowaway } from './throwaway-objects.ts';
import { keepFile, keepLink } from '../run/trusted-folder.ts';
import { fileNow, trustOf } from '../run/trust.ts';
import type { GitView } from '../run/view.ts';

interface FlawPlace {
  readonly repo: Repository;
  readonly view: GitView;
}

const LINES_MAX = 10;

/** Quick rather than small: only the git that checks it ever reads it. */
const PACK = ['-q', '--revs', '--window=0', '--depth=0', '--compression=0', '--threads=1'];

/** What git says where the machine is to blame, and no object. */
const MACHINE =
  /no space left|quota exceeded|write error|unable to (?:write|create)|could(?:n't| not) write|read-only|allocate|out of memory|too many open|permission denied|temporarily unavailable/i;

/**
 * Why what `tips` bring beside what is `known` cannot land: an object is missing, is not what its id says, or is one that a server
 * refuses which checks what it is given. Null: all of it is whole. It is packed and read as for such a server, in two processes for
 * however many branches; what is known already is not looked at.
 */
export async function findFlaw(
  { repo, view }: FlawPlace,
  tips: readonly Sha[],
  known: readonly Sha[],
): Promise<string | null> {
  const env = ownObjects(repo);
  const aside = openThrowaway(repo);
  const complaint = async (args: readonly string[], input = ''): Promise<string | { readonly said: string }> => {
    const { code, stdout, stderr } = await view.run(args, { input, env, ok: [0, 1, 128] });
    if (code === 0) return { said: stdout.trim() };
    const lines = stderr.split('\n').filter((line) => line.trim() !== '');
    if (MACHINE.test(stderr)) throw new AppError('E_GIT', 'the new objects could not be checked', { facts: lines });
    return lines.slice(0, LINES_MAX).join('\n');
  };
  try {
    const input = [...tips, '--not', ...known, ''].join('\n');
    const packed = await complaint(
      ['-c', 'core.fsync=none', 'pack-objects', ...PACK, join(aside.folder, 'new')],
      input,
    );
    if (typeof packed === 'string') return packed;
    const file = join(aside.folder, `new-${packed.said}.pack`);
    const read = await complaint(['index-pack', '--verify', '--strict', '--threads=1', file]);
    return typeof read === 'string' ? read : null;
  } finally {
    aside.remove();
  }
}

const FOLDERS = ['pack', ...Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))];

/**
 * Variables under which git finds the objects of the repository and of the alternates it had before the run, and no others: what is
 * only behind alternates written since is gone with them. To read alone.
 */
function ownObjects(repo: Repository): Readonly<Record<string, string>> {
  const objects = join(repo.commonDir, 'objects');
  const folder = join(repo.stateDir, 'own-objects');
  mkdirSync(join(folder, 'info'), { recursive: true, mode: 0o700 });
  for (const name of FOLDERS) keepLink(join(folder, name), join(objects, name));
  const trust = trustOf(repo.commonDir);
  const listed =
    trust === null ? fileNow(repo.commonDir, 'objects/info/alternates') : trust.files['objects/info/alternates'];
  keepFile(join(folder, 'info/alternates'), Buffer.from(absolute(listed ?? '', objects), 'latin1'));
  return { GIT_OBJECT_DIRECTORY: folder };
}

/** Paths in it count from the objects beside it. */
const absolute = (listed: string, objects: string): string =>
  listed
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(
      (line) => `${line.startsWith('"') ? line : latin1(resolve(objects, Buffer.from(line, 'latin1').toString()))}\n`,
    )
    .join('');

const latin1 = (path: string): string => Buffer.from(path).toString('latin1');
