import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { sha } from '../../core/model/ids.ts';
import { commitTree } from '../git/objects/commit.ts';
import { isUnchecked, sealName } from '../git/run/open-seals.ts';
import { refsBelow, updateRefs } from '../git/refs/update-refs.ts';
import type { GitView } from '../git/run/view.ts';
import type { Iteration } from '../contract/world.ts';
import { parseReflog } from '../git/trace/reflog.ts';
import { readIfThere } from '../os/read-if-there.ts';
import { replace, underLock } from './restore-checkout.ts';
import type { SealPlace } from './scene.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';

const HELD = 'refs/paralph/stash';

const refOf = (iteration: Iteration): string => `${HELD}/${sealName(iteration)}`;

/**
 * Names the entries of the stash while an agent works: all but the newest stand in a reflog only, and `git gc` collects them once that
 * was cut short. One commit with all of them as parents, for a stash may be high. After the seal was noted: what has no note is let go.
 */
export async function holdStash(place: SealPlace, iteration: Iteration, stash: string): Promise<void> {
  const ref = refOf(iteration);
  const { commonDir } = place.repo;
  const spare = refsBelow(place.view, HELD).filter((one) => !isUnchecked(commonDir, one.slice(HELD.length + 1)));
  await attempt(async () => {
    const held = stash === '' ? null : await commitEntries(place, stash);
    const changes = spare.map((one) => `delete ${one}`);
    await updateRefs(place.view, held === null ? changes : [...changes, `update ${ref} ${held}`]);
  });
}

export async function releaseStash({ view }: SealPlace, iteration: Iteration): Promise<void> {
  const ref = refOf(iteration);
  if (refsBelow(view, HELD).includes(ref)) await attempt(() => updateRefs(view, [`delete ${ref}`]));
}

async function commitEntries({ view, identity }: SealPlace, stash: string): Promise<Sha | null> {
  const entries = await presentIn(view, [...new Set(parseReflog(stash).map(({ to }) => to))]);
  const tree = entries.at(-1)?.tree;
  if (tree === undefined) return null;
  const parents = entries.map(({ commit }) => commit);
  return commitTree(view, { tree, parents, identity, message: 'the stash while an agent works' });
}

/** A commit upon one that is not there would spoil every `git gc` to come. */
export async function presentIn(
  view: GitView,
  commits: readonly Sha[],
): Promise<readonly { readonly commit: Sha; readonly tree: Sha }[]> {
  const input = commits.map((commit) => `${commit}^{tree}\n`).join('');
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objecttype) %(objectname)'], { input });
  const lines = stdout.split('\n');
  return commits.flatMap((commit, at) => {
    const tree = /^tree ([0-9a-f]+)$/.exec(lines[at] ?? '')?.[1];
    return tree === undefined ? [] : [{ commit, tree: sha(tree) }];
  });
}

/** A lock in the way is no reason to keep an agent from its work, nor from being checked: the next one lets go of what is left. */
async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * As `git stash drop`, of exactly this entry wherever it lies. git is told entries by their place: what somebody pushes in that
 * moment would have it, and be lost. So it is done here, under git's own lock on the ref.
 */
export function dropStash(commonDir: string, { to, atSeconds }: ReflogEntry): boolean {
  const [ref, log] = [join(commonDir, 'refs/stash'), join(commonDir, 'logs/refs/stash')];
  return underLock(ref, () => {
    // Bytes as they are: nobody says that a message is text.
    const text = readIfThere(log)?.toString('latin1') ?? '';
    const entries = parseReflog(text);
    const at = entries.findLastIndex((one) => one.to === to && one.atSeconds === atSeconds);
    const gone = entries[at];
    if (gone === undefined || entries.map(({ line }) => `${line}\n`).join('') !== text) return false;
    const rest = entries.toSpliced(at, 1);
    // What came after it follows upon what was before it.
    const lines = rest.map(({ line, from }, n) =>
      n === at ? `${gone.from}${line.slice(from.length)}\n` : `${line}\n`,
    );
    const { mode } = statSync(log);
    replace(log, Buffer.from(lines.join(''), 'latin1'), mode);
    const top = rest.at(-1);
    if (at === rest.length && top !== undefined) replace(ref, Buffer.from(`${top.to}\n`), mode);
    return true;
  });
}
