import { loopId, sha, taskId } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { LOOP_TRAILER, TASK_TRAILER, TRACKER_TRAILER } from '../../../text/commit-message.ts';
import type { GitView } from '../run/view.ts';
import type { FoundLanding } from '../../contract/world.ts';

const COMMITS_MAX = 5000;
const trailer = (key: string): string => `%(trailers:key=${key},valueonly,unfold,separator=%x01)`;
const FORMAT = ['%H', '%ct', trailer(TASK_TRAILER), trailer(LOOP_TRAILER), trailer(TRACKER_TRAILER)].join('%x00');

/**
 * What integration's history says landed, oldest first, without what `since` holds already. Only along its own line: what an
 * agent wrote into the commits of its branch is on the other side of a merge.
 */
export const findLandings = (
  view: GitView,
  integration: Sha,
  since: readonly Sha[] = [],
): Promise<readonly FoundLanding[]> => listLandings(view, integration, ['--first-parent'], since);

/** The same on every line, for landings of other clones that were merged in. */
export const findAllLandings = (view: GitView, head: Sha, since: readonly Sha[]): Promise<readonly FoundLanding[]> =>
  listLandings(view, head, ['--ignore-missing'], since);

async function listLandings(
  view: GitView,
  integration: Sha,
  flags: readonly string[],
  since: readonly Sha[],
): Promise<readonly FoundLanding[]> {
  const args = [
    'log',
    '-z',
    ...flags,
    `--max-count=${COMMITS_MAX}`,
    `--format=${FORMAT}%x00`,
    integration,
    ...since.map((commit) => `^${commit}`),
    '--',
  ];
  const { stdout } = await view.run(args);
  const found: FoundLanding[] = [];
  // Each record ends with two: ours, and the one that git puts between commits.
  const fields = stdout.split('\0');
  for (let at = 0; at + 5 < fields.length; at += 6) {
    const [commit = '', seconds = '', task = '', loop = '', tracker = ''] = fields.slice(at, at + 5);
    // Ours have one of each; a message with two was written by somebody else.
    if (!isOne(task) || !isOne(loop) || !isOne(tracker)) continue;
    found.push({
      task: taskId(task),
      tracker,
      loop: loopId(loop),
      commit: sha(commit),
      atMs: Number(seconds) * 1000,
    });
  }
  return found.toReversed();
}

const isOne = (values: string): boolean => values !== '' && !values.includes('\u0001');
