import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import type { Stays } from '../run/take-worktrees.ts';
import { cleanLoops, sayHowBack, sayOutcome } from '../run/take-worktrees.ts';

/** Removes what is landed and nothing else, keeps it all the same, and says why the rest stays. */
interface Cleaned {
  readonly dry_run: boolean;
  readonly removed: readonly string[];
  readonly kept: readonly Stays[];
  readonly keeps: readonly { readonly path: string; readonly id: string }[];
}

export const handle: Handler<Cleaned> = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, 'parallel clean');
  const { gone, stays, failed } = await cleanLoops(await openProject(call), isDryRun);
  const data = {
    dry_run: isDryRun,
    removed: gone.map((one) => one.path),
    kept: stays,
    keeps: gone.flatMap(({ path, kept }) => (kept === null ? [] : [{ path, id: kept }])),
  };
  sayOutcome(call.out, { gone, stays }, isDryRun);
  sayHowBack(
    call.out,
    gone.map((one) => one.kept),
  );
  const says = failed === null && gone.length + stays.length === 0 ? ['no paralph worktrees'] : [];
  return { data, says, error: failed };
};
