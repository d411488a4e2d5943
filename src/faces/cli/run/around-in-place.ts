import type { LoopId } from '../../../core/model/ids.ts';
import type { Place } from '../../../core/model/model.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { openSealsOf } from '../../../world/git/run/open-seals.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { forgetIgnored, unkeptLine } from '../../../world/checkout/keep-ignored.ts';
import { madeFolders } from '../../../world/setup/setup-plan.ts';
import type { Call } from '../../call/handler.ts';

/** Before an agent works in a person's checkout: what git ignores there and nobody keeps is named. */
export async function sayUnkept({ out }: Call, repo: Repository, place: Place, settings: Settings): Promise<void> {
  if (place.at !== 'checkout') return;
  const line = await unkeptLine(place.path, {
    always: settings.keep.ignored,
    made: madeFolders(repo.root, settings.worktree.keep),
  });
  if (line !== null) out.say(out.style.yellow(cleanLine(line)));
}

/** The loop works there no more. What nobody has checked yet may still have to be given back. */
export async function leaveIgnored(repo: Repository, place: Place, loop: LoopId): Promise<void> {
  if (place.at !== 'checkout' || openSealsOf(repo.commonDir).some((seal) => seal.loop === loop)) return;
  await forgetIgnored({ repo, view: await openView(repo) }, loop);
}
