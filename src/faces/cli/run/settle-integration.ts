import type { PutBack } from '../../../core/model/model.ts';
import { standingOf, vouchedFor } from '../../../core/loops/integration-value.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { lookAtIntegration, putBackIntegration } from '../../../world/landing/integration-value.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** For a command that is no host: integration goes back to where the log has it. Null: it is there. */
export async function settleIntegration(repo: Repository, target: string): Promise<PutBack | null> {
  const place = { repo, view: await openView(repo), target };
  const known = vouchedFor(await readState(repo), target);
  if (known.head === null) return null;
  const seen = await lookAtIntegration(place, known);
  if (standingOf(known, seen) !== 'strange') return null;
  const { head: found } = seen;
  const landed = seen.facts?.landed ?? null;
  const done = await putBackIntegration(place, { found, to: landed ?? known.head });
  if (done === null) return settleIntegration(repo, target);
  const { to, kept } = done;
  await writeFacts(repo, async () => [
    ...(landed === null ? [] : [{ type: 'integration-moved', head: landed } as const]),
    { type: 'integration-intruded', head: found },
    { type: 'integration-put-back', found, to, kept },
  ]);
  return { found, to, kept, failing: null, at: Date.now() };
}
