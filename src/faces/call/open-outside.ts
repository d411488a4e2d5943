import type { OutsideTracker, Settings } from '../../core/model/settings.ts';
import type { Tracker } from '../../world/contract/tracker.ts';
import { openGithubTracker } from '../../world/forge/issues/open-issues.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { openBeadsTracker } from '../../world/trackers/beads/beads-tracker.ts';

interface OutsideOrder {
  readonly repo: Repository;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** It works on them, and does not only look. */
  readonly isHost: boolean;
}

/** How each tracker that is no file is opened. */
const OPENERS: Readonly<Record<OutsideTracker, (order: OutsideOrder) => Tracker>> = {
  beads: ({ repo, env, isHost }) => openBeadsTracker({ env, root: repo.root }, { isHost }),
  github: openGithubTracker,
};

export const openOutside = (name: OutsideTracker, order: OutsideOrder): Tracker => OPENERS[name](order);
