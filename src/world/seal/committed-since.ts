import type { Change } from '../git/objects/raw-changes.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Iteration } from '../contract/world.ts';
import { gitDirOf } from '../checkout/files-tree.ts';
import { readInPlaceNote } from '../checkout/in-place-note.ts';
import type { CheckoutPlace } from '../checkout/take-checkout.ts';

/** What a person committed in a checkout since an iteration began, or we published: what its agent committed is off the branch by now. */
export async function committedSince(
  { repo, view }: CheckoutPlace,
  { loop, cwd }: Iteration,
  before: Fingerprint,
): Promise<readonly Change[]> {
  const start = before.refs[`refs/heads/${readInPlaceNote(repo, loop)?.standing}`];
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, cwd))?.commit;
  return start === undefined || head == null || start === head ? [] : readChanges(view, start, head);
}
