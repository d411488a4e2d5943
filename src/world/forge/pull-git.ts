import { Buffer } from 'node:buffer';
import type { Sha } from '../../core/model/ids.ts';
import { cutChars } from '../../text/screen/clean.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { withTrailers } from '../../text/commit-message.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import type { Marking, PullGit } from '../contract/pull-git.ts';
import type { Tracker } from '../contract/tracker.ts';
import { isAncestor, mergeInMemory } from '../git/merge/merge.ts';
import { settleByRule } from '../git/merge/settle-conflicts.ts';
import { commitTree } from '../git/objects/commit.ts';
import { readFileAt, replaceFile, treeOf, writeBlob } from '../git/objects/trees.ts';
import { fetchFollowed, remoteTip, trackedAt, tryPush } from '../git/refs/remote.ts';
import type { RemotePlace } from '../git/refs/remote.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { pin } from '../keep/train-refs.ts';
import { tickerFor } from '../trackers/tracker-file.ts';

export interface PullGitPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  readonly env: NodeJS.ProcessEnv;
  readonly tracker: Tracker;
  readonly remote: string;
  readonly target: string;
  readonly login: Readonly<Record<string, string>>;
}

const SUBJECT_CHARS_MAX = 72;

/** The branches of pull requests. Nothing here moves a branch of the user's or of a loop. */
export function openPullGit(place: PullGitPlace): PullGit {
  const { repo, view, remote, target, env, login } = place;
  const remotePlace: RemotePlace = { repo, env, login };
  return {
    fetchTarget: async () => {
      await fetchFollowed(remotePlace, followed(remote, target));
      return trackedAt(remotePlace, followed(remote, target));
    },
    tipOf: (branch) => remoteTip(remotePlace, remote, branch),
    fetch: (branch) => fetchFollowed(remotePlace, followed(remote, branch)),
    push: ({ branch, head, expected }) => tryPush(remotePlace, { remote, branch, commit: head, expected }),
    isAncestor: (of, within) => isAncestor(view, of, within),
    name: (order) => name(place, order),
    isDone: (commit, marking) => isDone(view, commit, marking),
    meet: async (base, head) => {
      const merged = await mergeInMemory(view, base, head);
      if (!merged.clean) return { conflicts: merged.paths };
      const message = 'What merging it would make, for the gates\n';
      return { tree: merged.tree, commit: await commit(place, merged.tree, [base, head], message) };
    },
    withBase: async ({ loop, base, head, marking }) => {
      const plain = await mergeInMemory(view, head, base);
      const isTasksAlone = plain.clean || plain.paths.every((path) => path === marking.tracker);
      const merged = await settleByRule(view, plain, { trackerPath: marking.tracker });
      if (!isTasksAlone || !merged.clean) return null;
      const message = withTrailers(`Merge ${cleanLine(target)}`, { 'Ralph-Merge': loop });
      const made = await commit(place, merged.tree, [head, base], message);
      await pin(view, loop, made);
      return made;
    },
  };
}

const followed = (remote: string, branch: string) => ({
  remote,
  theirs: `refs/heads/${branch}`,
  tracking: `refs/remotes/${remote}/${branch}`,
});

const commit = ({ view, identity }: PullGitPlace, tree: Sha, parents: readonly Sha[], message: string): Promise<Sha> =>
  commitTree(view, { tree, parents, message, identity });

type NameOrder = Parameters<PullGit['name']>[0];

/** Always on top of what was pushed: a reviewer sees what is new, and no push takes anything back. */
async function name(
  place: PullGitPlace,
  { loop, title, work, pushed, marking }: NameOrder,
): ReturnType<PullGit['name']> {
  const { view } = place;
  const isOnTop = pushed === null || (await isAncestor(view, pushed, work));
  const tree = isOnTop ? await treeOf(view, work) : await joined(place, work, pushed, marking);
  if (typeof tree !== 'string') return tree;
  const marked = await withMark(place, tree, marking);
  if (marked === tree && isOnTop) return { head: work };
  const subject = cutChars(`Mark as done: ${cleanLine(title)}`, SUBJECT_CHARS_MAX);
  const parents = isOnTop ? [work] : [work, pushed];
  const head = await commit(place, marked, parents, withTrailers(subject, { 'Ralph-Marks': loop }));
  await pin(view, loop, head);
  return { head };
}

async function joined(
  { view }: PullGitPlace,
  work: Sha,
  pushed: Sha,
  { tracker }: Marking,
): Promise<Sha | { readonly conflicts: readonly string[] }> {
  const merged = await settleByRule(view, await mergeInMemory(view, work, pushed), { trackerPath: tracker });
  return merged.clean ? merged.tree : { conflicts: merged.paths };
}

async function withMark({ view, tracker: own }: PullGitPlace, tree: Sha, { id, tracker }: Marking): Promise<Sha> {
  const text = id === null ? null : await readFileAt(view, tree, tracker);
  if (id === null || text === null) return tree;
  const marked = await tickerFor(own, tracker).tick(text, id);
  return marked === null || marked === text ? tree : replaceFile(view, tree, tracker, await writeBlob(view, marked));
}

/** Where no file lists it, there is nothing to mark. */
async function isDone(view: GitView, at: Sha, { id, tracker }: Marking): Promise<boolean> {
  const text = id === null ? null : await readFileAt(view, at, tracker);
  if (text === null) return false;
  const { tasks } = parseTracker(trackerKindOf(tracker) ?? 'markdown', text);
  return tasks.some((task) => task.id === id && task.status === 'done');
}

/** How git logs in to a forge whose token we have and whose password nobody gave to git: by a header, told in its environment. */
export function loginFor(origin: string, user: string, token: string): Readonly<Record<string, string>> {
  if (!/^https?:\/\//.test(origin)) return {};
  const basic = Buffer.from(`${user}:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}
