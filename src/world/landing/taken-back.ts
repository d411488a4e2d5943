import type { Sha } from '../../core/model/ids.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { isResetFrom } from '../git/refs/past-values.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { readFileAt } from '../git/objects/trees.ts';
import type { ValuePlace } from './integration-value.ts';
import { integrationRef, targetRefOf } from './integration-value.ts';
import { findLeak } from '../seal/is-leak.ts';
import type { OpenLanding } from '../contract/outcomes.ts';
import { leadsOut } from '../trackers/task-text.ts';

/** The owner of the target reset it from where integration is: what they took back is not landed again, and not lost either. */
export async function followReset(place: ValuePlace, ours: Sha): Promise<void> {
  const { repo, view, target } = place;
  if (!isResetFrom(repo, targetRefOf(place), ours)) return;
  const theirs = await readRef(view, targetRefOf(place));
  if (theirs === null || theirs === ours || !(await isAncestor(view, theirs, ours))) return;
  if ((await findLeak(place, targetRefOf(place))) !== null) return;
  await keepTakenBack(place, ours);
  await moveRef(view, integrationRef(target), theirs, ours, `follow ${target}`);
}

export const keepTakenBack = ({ view }: Pick<ValuePlace, 'view'>, commit: Sha): Promise<unknown> =>
  moveRef(view, `refs/paralph/keep/taken-back/${commit.slice(0, 12)}`, commit, null, 'taken back');

/**
 * Landings that the owner of the target took back: its own version of the task file has their boxes open, though it holds them
 * (reverted, or unticked and committed) or holds them no more (reset). An edit that is not committed may be a file that an
 * editor had open all the time, so it does not count.
 */
export async function findTakenBack(
  place: ValuePlace,
  tracker: string,
  landings: readonly OpenLanding[],
): Promise<readonly OpenLanding[]> {
  const { repo, view, target } = place;
  if (landings.length === 0 || leadsOut(tracker)) return [];
  const head = await readRef(view, targetRefOf(place));
  const text = head === null ? null : await readFileAt(view, head, tracker);
  if (head === null || text === null) return [];
  const { tasks } = parseTracker(trackerKindOf(tracker) ?? 'markdown', text);
  const open = landings.filter(({ task }) => tasks.some(({ id, status }) => id === task && status !== 'done'));
  if (open.length === 0 || (await findLeak(place, targetRefOf(place))) !== null) return [];
  const integration = await readRef(view, integrationRef(target));
  const isReset = integration === null || isResetFrom(repo, targetRefOf(place), integration);
  const found = await Promise.all(
    open.map(async ({ commit }) => {
      if (await isAncestor(view, commit, head)) return true;
      return isReset || !(await isAncestor(view, commit, integration));
    }),
  );
  return open.filter((_, at) => found[at]);
}

/** The same for who asks each second: git is asked only when a ref has moved. */
export function openTakenBack(
  place: ValuePlace,
): (tracker: string, landings: readonly OpenLanding[]) => Promise<readonly OpenLanding[]> {
  let last = { mark: '', found: [] as readonly OpenLanding[] };
  return async (tracker, landings) => {
    if (landings.length === 0) return [];
    const refs = [targetRefOf(place), integrationRef(place.target)];
    const values = await Promise.all(refs.map((ref) => readRef(place.view, ref)));
    const mark = [...values, ...landings.flatMap(({ task, commit }) => [task, commit])].join(' ');
    if (mark !== last.mark) last = { mark, found: await findTakenBack(place, tracker, landings) };
    return last.found;
  };
}
