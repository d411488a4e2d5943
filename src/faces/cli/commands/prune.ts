import { cleanLine } from '../../../text/screen/clean.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { expiredKeeps, letGo, oldRuns, removeRuns } from '../../../world/keep/expire.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { spareBranches, takeBranch } from '../../../world/keep/spare-branches.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop, typedName } from '../run/refuse-in-loop.ts';
import { tellDropped } from '../run/settle-keeps.ts';
import type { Gone, Stays } from '../run/take-worktrees.ts';
import { newTogether, sayHowBack, sayOutcome, takeWorktrees } from '../run/take-worktrees.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import type { State } from '../../../core/model/model.ts';
import type { Retention } from '../../../world/keep/expire.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import type { Handler } from '../../call/handler.ts';

/** Clears away what nobody will ask for: worktrees and branches of loops that are over, old keeps of what landed, old logs. */
interface Pruned {
  readonly dry_run: boolean;
  readonly removed: readonly Gone[];
  readonly branches: readonly PrunedBranch[];
  readonly expired: readonly string[];
  readonly runs: number;
  readonly stays: readonly Stays[];
}

export const handle: Handler<Pruned> = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, typedName(call, 'prune'));
  const { repo, config } = await openProject(call);
  const { days } = config.settings.keep;
  if (!isDryRun) await healWorktreeEntries(repo);
  const place = await openKeep(repo, config.settings);
  const state = await readState(repo);
  const together = newTogether();
  const found = await ourWorktrees({ ...place, state });
  const going = found.filter((one) => one.stay === null);
  const { gone, stays: refused, failed } = await takeWorktrees(place, going, { act: 'prune', together, isDryRun });
  const wanted = found.flatMap(({ path, branch, stay }) => (stay === null ? [] : [{ path, branch, why: stay }]));
  const stays = [...wanted, ...refused];
  const branches = await pruneBranches(place, state, together, isDryRun);
  const old = await pruneOld(place, state, { days, nowMs: Date.now() }, isDryRun);
  const data = { dry_run: isDryRun, removed: gone, branches, expired: old.expired, runs: old.runs, stays };
  const would = isDryRun ? 'would ' : '';
  sayOutcome(call.out, { gone, stays }, isDryRun);
  for (const { branch, kept } of branches)
    call.out.say(
      `${would}remove${isDryRun ? '' : 'd'} branch ${cleanLine(branch)}${kept === null ? '' : `; kept as ${kept}`}`,
    );
  for (const id of old.expired)
    call.out.say(`${would}delete keep ${id}: on main for more than ${howMany(days, 'day')}`);
  if (old.runs > 0)
    call.out.say(
      `${would}remove${isDryRun ? '' : 'd'} logs of ${howMany(old.runs, 'loop')} landed over ${howMany(days, 'day')} ago`,
    );
  sayHowBack(
    call.out,
    [...gone, ...branches].map((one) => one.kept),
  );
  const count = gone.length + branches.length + old.expired.length + old.runs;
  return { data, says: failed === null && count === 0 ? ['nothing to prune'] : [], error: failed };
};

interface PrunedBranch {
  readonly branch: string;
  readonly loop: string;
  readonly kept: string | null;
}

async function pruneBranches(
  place: AwayPlace,
  state: State,
  together: string,
  isDryRun: boolean,
): Promise<readonly PrunedBranch[]> {
  const pruned: PrunedBranch[] = [];
  for (const spare of await spareBranches(place, state)) {
    const kept = isDryRun ? null : (await takeBranch(place, spare, together)).id;
    pruned.push({ branch: spare.branch, loop: spare.loop.id, kept });
  }
  return pruned;
}

async function pruneOld(
  place: AwayPlace,
  state: State,
  retention: Retention,
  isDryRun: boolean,
): Promise<{ readonly expired: readonly string[]; readonly runs: number }> {
  const { repo, view } = place;
  const expired = await expiredKeeps(view, state, retention);
  const runs = oldRuns(repo, state, retention);
  if (!isDryRun) {
    await tellDropped(repo, expired);
    for (const keep of expired) await letGo(place, keep);
    for (const loop of runs) removeRuns(repo, loop);
  }
  return { expired: expired.map((keep) => keep.id), runs: runs.length };
}
