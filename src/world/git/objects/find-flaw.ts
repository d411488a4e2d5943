import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { ownObjects } from './own-objects.ts';
import type { Repository } from '../run/repository.ts';
import { openThrowaway } from './throwaway-objects.ts';
import type { GitView } from '../run/view.ts';

export interface FlawPlace {
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
    if (MACHINE.test(stderr)) throw new AppError('E_GIT', 'The new objects could not be checked.', { facts: lines });
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
