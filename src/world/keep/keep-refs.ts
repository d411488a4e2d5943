import { invariant } from '../../core/model/assert.ts';
import type { Sha } from '../../core/model/ids.ts';
import { reach } from '../os/failpoint.ts';
import { landRef, moveRef, readRef } from '../git/refs/refs.ts';
import type { GitView } from '../git/run/view.ts';

/** Below it stands what nothing may collect, by the name of whose it is and the first digits of the commit. */
export const KEPT = 'refs/paralph/keep';
/** The same names once more, for what `ralph undo` has taken back already. */
export const UNDONE = 'refs/paralph/undone';

const DIGITS = 12;
const NAME_CHARS_MAX = 100;

/** The ref that keeps a commit under a name. The same commit always gets the same one. */
async function keepRef(view: GitView, name: string, commit: Sha): Promise<string> {
  const folder = `${KEPT}/${keepName(name)}`;
  const short = commit.slice(0, DIGITS);
  // A ref that is named like the folder leaves no room for the folder.
  return (await readRef(view, folder)) === null ? `${folder}/${short}` : `${folder}-${short}`;
}

/** Names a commit so that nothing ever collects it. `durable`: it must outlive a power cut, because something else is about to go. */
export async function nameKept(
  view: GitView,
  { name, commit, reason, durable }: { name: string; commit: Sha; reason: string; durable: boolean },
): Promise<string> {
  const ref = await keepRef(view, name, commit);
  if ((await readRef(view, ref)) === commit) return ref;
  const move = await (durable ? landRef : moveRef)(view, ref, commit, null, reason);
  invariant(move.moved || move.now === commit, `${ref} is named after another commit`);
  reach('keep.pinned');
  return ref;
}

/** What people type: the ref without what all of them have in front. */
export const keepId = (ref: string): string => ref.slice(KEPT.length + 1);

/** Whose it is and the digits, from a keep's ref. Null: somebody else's ref. */
export function partsOfKeepRef(ref: string): { readonly name: string; readonly digits: string } | null {
  const [, name, digits] = /^(.+)[/-]([0-9a-f]{12})$/.exec(keepId(ref)) ?? [];
  return name === undefined || digits === undefined ? null : { name, digits };
}

/** A name git takes as a part of a ref, whatever the text was. */
function keepName(text: string): string {
  const plain = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}|\.lock$/g, '-')
    .slice(0, NAME_CHARS_MAX)
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return plain === '' ? 'work' : plain;
}
