import { EXIT } from '../../../core/model/errors.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { newTogether, sayHowBack, sayOutcome, takeWorktrees } from '../run/take-worktrees.ts';

/** Removes what is landed and nothing else, keeps it all the same, and says why the rest stays. */
export const handle: Handler = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, 'parallel clean');
  const { repo, config } = await openProject(call);
  const place = await openKeep(repo, config.settings);
  const found = await ourWorktrees({ ...place, state: await readState(repo) });
  const going = found.filter((one) => one.keep === null);
  const {
    gone,
    stays: refused,
    failed,
  } = await takeWorktrees(place, going, {
    act: 'clean',
    together: newTogether(),
    isDryRun,
  });
  const wanted = found.flatMap(({ path, branch, keep }) => (keep === null ? [] : [{ path, branch, why: keep }]));
  const stays = [...wanted, ...refused];
  if (call.flags['json'] === true)
    call.out.json({
      version: 1,
      dryRun: isDryRun,
      removed: gone.map((one) => one.path),
      kept: stays,
      keeps: gone.flatMap(({ path, kept }) => (kept === null ? [] : [{ path, id: kept }])),
    });
  sayOutcome(call.out, { gone, stays }, isDryRun);
  sayHowBack(
    call.out,
    gone.map((one) => one.kept),
  );
  if (failed !== null) throw failed;
  if (found.length === 0) call.out.say('no worktree of ours');
  return EXIT.ok;
};
