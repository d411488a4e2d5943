import { EXIT } from '../../../core/model/errors.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { cleanLoops, sayHowBack, sayOutcome } from '../run/take-worktrees.ts';

/** Removes what is landed and nothing else, keeps it all the same, and says why the rest stays. */
export const handle: Handler = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, 'parallel clean');
  const { gone, stays, failed } = await cleanLoops(await openProject(call), isDryRun);
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
  if (gone.length + stays.length === 0) call.out.say('no worktree of ours');
  return EXIT.ok;
};
