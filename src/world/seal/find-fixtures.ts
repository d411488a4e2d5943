import { realpathLoose } from '../git/files/worktree-admin.ts';
import { moveRef } from '../git/refs/refs.ts';
import { isDuringSecond, mayHaveWorked } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { movesHead } from '../git/trace/ref-commands.ts';
import { readReflog } from '../git/trace/reflog.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';
import { short } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

const WHY = 'paralph: a hook took the repository for one of its own';

/**
 * Commits that a hook made on the loop's branch from another folder: git tells hooks where the repository is, so tests that make
 * one of their own commit to this one. Only what is on top, and what nobody else can have made, goes.
 */
export function findFixtures(scene: Scene): readonly Finding[] {
  const { place, branch } = scene;
  const ref = `refs/heads/${branch}`;
  const tip = scene.after.refs[ref];
  const fixtures = onTop(scene);
  const [first] = fixtures;
  if (first === undefined || tip === undefined) return [];
  const did = `a hook committed ${fixtures.map(({ to }) => short(to)).join(', ')} to the branch ${branch} from another folder`;
  const restore = async (): Promise<string | null> =>
    (await moveRef(place.view, ref, first.from, tip, WHY)).moved
      ? `the branch ${branch} at ${short(first.from)}`
      : null;
  return [{ did, keep: [{ commit: tip }], restore, isHooks: true }];
}

/** Whether every such commit is found: below others, or under another date, it would stay on the branch. */
export const areFixturesFound = (scene: Scene): boolean =>
  scene.trace.filter((one) => isElsewhere(scene, one)).length === onTop(scene).length;

function onTop(scene: Scene): readonly ReflogEntry[] {
  const ref = `refs/heads/${scene.branch}`;
  const entries = readReflog(scene.place.repo.commonDir, ref);
  const fixtures = entries.slice(entries.findLastIndex((entry) => !isFixture(scene, entry)) + 1);
  // In a person's checkout their own hooks run as well, and its commits are settled elsewhere.
  return scene.iteration.inPlace !== true && fixtures.at(-1)?.to === scene.after.refs[ref] ? fixtures : [];
}

/** In that second a commit from elsewhere ran in a hook, and nothing else of the agent's that moves a branch. */
function isFixture(scene: Scene, { atSeconds, message }: ReflogEntry): boolean {
  if (!message.startsWith('commit')) return false;
  const able = scene.trace.filter((one) => movesHead(one) && mayHaveWorked(one) && isDuringSecond(one, atSeconds));
  return able.length > 0 && able.every((one) => isElsewhere(scene, one));
}

function isElsewhere({ iteration }: Scene, command: GitCommand): boolean {
  const { name, isInHook, worktree } = command;
  if (name !== 'commit' || !isInHook || worktree === null || !mayHaveWorked(command)) return false;
  return realpathLoose(worktree) !== realpathLoose(iteration.cwd);
}
