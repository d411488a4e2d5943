import type { Published } from '../contract/outcomes.ts';
import { publish } from '../checkout/publish.ts';
import { withMutex } from '../processes/mutex.ts';
import { lockFile } from '../git/run/state-places.ts';
import type { World } from '../contract/world.ts';
import { findLeak } from './is-leak.ts';
import type { SealPlace } from './scene.ts';

/** Publishes, unless the branch stands where an agent moved it: then that is put back first. */
export function openPublish(place: Pick<SealPlace, 'repo' | 'view'>, target: string): World['publish'] {
  const { repo, view } = place;
  return (to) =>
    withMutex(lockFile(repo, 'publish'), async () =>
      (await findLeak(place, `refs/heads/${target}`)) === null ? publish(repo, view, { target, to }) : moved(target),
    );
}

const moved = (target: string): Published => ({
  outcome: 'blocked',
  why: `an agent moved ${target} from inside its worktree; once its iteration is over that is put back, and this is tried again`,
  paths: [],
});
