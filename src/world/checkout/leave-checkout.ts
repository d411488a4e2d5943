import type { LoopId, Sha } from '../../core/model/ids.ts';
import { reach } from '../os/failpoint.ts';
import { deleteRef } from '../git/refs/refs.ts';
import { unpin } from '../keep/train-refs.ts';
import type { CheckoutPlace } from './take-checkout.ts';

const OURS = 'ralph/';

/** After the landing: the checkout stays as it is, and so does a branch of the person's. */
export async function leaveCheckout(
  { view }: CheckoutPlace,
  { branch, head, landed, loop }: { branch: string; head: Sha; landed: Sha; loop: LoopId },
): Promise<void> {
  await unpin(view, { loop, head, landed });
  reach('place.left');
  if (branch.startsWith(OURS)) await deleteRef(view, `refs/heads/${branch}`, head);
}
