import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { BEADS } from '../../../core/model/tasks.ts';
import type { Task } from '../../../core/model/task.ts';
import { beadTasks } from '../../../text/trackers/beads-tasks.ts';
import type { Looked, Tracker } from '../../contract/tracker.ts';
import type { BdPlace } from './bd-program.ts';
import { createToldBeads, openBeadsClaims } from './beads-claims.ts';
import type { ToldBeads } from './beads-claims.ts';
import { openBeadsIssues, SEEN_MS } from './beads-issues.ts';
import type { BeadsAbilities, SeenBeads } from './beads-issues.ts';
import { closeBeads } from './close-beads.ts';
import { livingIn } from './beads-state.ts';

/** Where Beads keeps what is its own. */
const beadsFolder = ({ env, root }: BdPlace): string => {
  const given = env['BEADS_DIR'] ?? '';
  return given === '' ? join(root, '.beads') : given;
};

/** The tasks of a repository that tracks them with Beads. `bd` is asked in the background once the first answer is there. */
export function openBeadsTracker(place: BdPlace, { isHost = false } = {}): Tracker {
  const issues = openBeadsIssues(place);
  let can: BeadsAbilities | null = null;
  let isOpen = false;
  const living = (): ReadonlySet<string> => livingIn(place.root, beadsFolder(place));
  const told = createToldBeads();
  const claims = openBeadsClaims({ issues, told, living }, () => can);
  let shown = '';
  let under: Promise<void> | null = null;
  let news: Looked | null = null;
  let said = '';
  let last: SeenBeads | null = null;

  const read = (seen: SeenBeads): void => {
    if (seen === last) return;
    last = seen;
    const tasks = beadTasks(seen.beads, { ready: seen.ready, living: living(), nowMs: Date.now() });
    const digest = digestOf(tasks, seen, told);
    said = '';
    if (digest === shown) return;
    shown = digest;
    news = { digest, tasks };
  };
  const tell = (error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    // Told once: what loops do goes on meanwhile.
    if (error.message !== said) news = { problems: [error.message] };
    said = error.message;
  };
  return {
    path: BEADS,
    look: async () => {
      if (!isOpen) {
        // Who only looks needs none of it.
        if (isHost) can = await issues.abilities();
        read(await issues.seen(0));
        isOpen = true;
      } else if (under === null) {
        under = issues
          .seen(SEEN_MS)
          .then(read, tell)
          .finally(() => (under = null));
      }
      const now = news;
      news = null;
      return now;
    },
    tick: () => Promise.resolve(null),
    close: async (landed) => {
      await closeBeads(issues, landed);
      return true;
    },
    claims,
  };
}

/** Changes with all that decides about loops, but not with what this process has told Beads itself. */
function digestOf(tasks: readonly Task[], { beads }: SeenBeads, told: ToldBeads): string {
  const known = new Set(beads.filter(told.isAsTold).map(({ id }) => id));
  const wanted = tasks.map((task) =>
    known.has(task.id) ? { ...task, claim: 'as read', status: 'open', blockedReason: null } : task,
  );
  return createHash('sha256').update(JSON.stringify(wanted)).digest('hex');
}
