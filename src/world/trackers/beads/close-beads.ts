import { finishedEpics, isClosed, relabelled, withPull } from '../../../text/trackers/beads-tasks.ts';
import type { Closing } from '../../contract/tracker.ts';
import { failure } from './bd-program.ts';
import { SEEN_MS } from './beads-issues.ts';
import type { BeadsCalls, BeadsIssues } from './beads-issues.ts';

/** Closes what has landed, each once: a second close would overwrite why in old versions. */
export async function closeBeads(issues: BeadsIssues, landed: readonly Closing[]): Promise<void> {
  await issues.alone(async (bd) => {
    const found = await bd.show(landed.map(({ hold }) => hold.task));
    for (const { hold, reason } of landed) {
      const bead = found.get(hold.task);
      if (bead === undefined || isClosed(bead)) continue;
      const as = ['--actor', hold.actor];
      const marks = [...relabelled(bead, 'merged'), ...withPull(bead, hold.pull)];
      if (marks.length > 0) await bd.must(['update', bead.id, ...marks, ...as, '--json']);
      await close(bd, bead.id, reason, as);
    }
  });
}

/** Epics are closed by their id when all their parts are. */
export async function closeFinishedEpics(issues: BeadsIssues): Promise<void> {
  const { beads } = await issues.seen(SEEN_MS);
  for (const id of finishedEpics(beads)) await issues.alone((bd) => close(bd, id, 'All of its parts are closed', []));
}

async function close(bd: BeadsCalls, id: string, reason: string, as: readonly string[]): Promise<void> {
  const args = ['close', id, '-r', reason, ...as, '--json'];
  const { beads } = await bd.must(args);
  // Old versions end with 0 where they refused.
  if (!beads.some((bead) => bead.id === id && isClosed(bead))) throw failure(args, `${id} was not closed`);
}
