import { AppError } from '../../../core/model/errors.ts';
import { isJudged } from '../../../core/views/loops-view.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import type { ReviewFacts } from '../../../text/review-summary.ts';
import { reviewSummary } from '../../../text/review-summary.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { logSubjects } from '../../../world/git/objects/history.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { push, requireBranchName, requireRemote } from '../../../world/git/refs/remote.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import { changedPaths } from '../../../world/git/objects/trees.ts';
import { openView } from '../../../world/git/run/view.ts';
import { findLoopDiff } from '../../../world/loops/loop-diff.ts';
import { notePushed, readPushed, writeReview } from '../../../world/landing/pushed.ts';
import type { PullView } from '../../../core/views/pull-view.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { findLoop } from '../../call/find-loop.ts';
import { targetFor } from '../run/as-started.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Loop } from '../../../core/model/model.ts';
import type { Call, Handler } from '../../call/handler.ts';

const COMMITS_MAX = 1000;

/** Pushes a loop's branch for others to look at, and writes down what they need for that. Lands nothing. */
interface PublishedReview extends Omit<ReviewFacts, 'remoteBranch'> {
  readonly remote_branch: string;
  /** The file with its summary. */
  readonly summary: string;
}

/** Under pull requests: what was opened. */
interface Opened {
  readonly pulls: readonly PullView[];
}

export const handle: Handler<PublishedReview | Opened> = async (call) => {
  refuseInLoop(call, 'loops publish-review');
  const { repo, config } = await openProject(call);
  const isPlain = ['remote', 'remoteBranch', 'base'].every((flag) => call.flags[flag] === undefined);
  // Where work is delivered by pull request, that is what others look at.
  if (config.settings.parallel.mergePolicy === 'pr' && isPlain) {
    const [{ openPulls }, { startProject }] = await Promise.all([
      import('./pr-open.ts'),
      import('../run/start-project.ts'),
    ]);
    return openPulls(call, await startProject(call));
  }
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  requireAct(state, loop, 'publish');
  const { target } = await preflight(repo, textFlag(call, 'base') ?? targetFor(call, repo, loop.id, config.settings));
  const place = { repo, env: call.env };
  const remote = await requireRemote(place, textFlag(call, 'remote'));
  const remoteBranch = await requireBranchName(place, textFlag(call, 'remoteBranch') ?? loop.branch);
  const lands = (await preflight(repo, config.settings.landing.target)).target;
  refuseTarget(loop, remoteBranch, [target, lands, 'main', 'master']);
  const view = await openView(repo);
  const diff = await findLoopDiff(view, state, loop, target);
  const head = await readRef(view, `refs/heads/${loop.branch}`);
  if (diff === null || head === null || diff.base === head)
    throw new AppError('E_USAGE', `loop ${loop.id} has no commits to review`, {
      remedy: `ralph loops history ${shellWord(loop.id)}`,
    });
  const before = readPushed(repo, loop.branch);
  const isSame = before?.remote === remote && before.branch === remoteBranch;
  await push(place, { remote, branch: remoteBranch, commit: head, expected: isSame ? before.commit : null });
  notePushed(repo, loop.branch, { remote, branch: remoteBranch, commit: head });
  const commits = await logSubjects(view, diff.base, head, COMMITS_MAX);
  const files = await changedPaths(view, diff.base, head);
  const facts = { loop: loop.id, task: taskIdOf(state, loop.task), title: loop.title, branch: loop.branch, head };
  const where = { base: target, remote, remoteBranch, commits, files, gates: gatesOf(loop, head) };
  const summary = writeReview(repo, loop.id, reviewSummary({ ...facts, ...where }));
  const { remoteBranch: remote_branch, ...rest } = where;
  call.out.say(
    `${loop.id} is on ${remote} as ${remoteBranch}: ${howMany(commits.length, 'commit')}, ${howMany(files.length, 'file')}`,
  );
  call.out.say(`summary: ${cleanLine(summary)}`);
  return { data: { ...facts, ...rest, remote_branch, summary } };
};

const textFlag = (call: Call, name: string): string | null => {
  const value = call.flags[name];
  return typeof value === 'string' ? value : null;
};

/** What lands goes through the gates; nothing gets past them by this door. */
function refuseTarget({ id }: Loop, branch: string, targets: readonly string[]): void {
  if (!targets.includes(branch)) return;
  throw new AppError('E_USAGE', `${branch} is a branch to land on, and a review never writes there`, {
    remedy: `ralph loops publish-review ${shellWord(id)} --remote-branch ${shellWord(`review/${id}`)}`,
  });
}

function gatesOf(loop: Loop, tip: Sha): string | null {
  const { lastGate } = loop;
  if (lastGate === null || lastGate.isUntested === true || !isJudged(loop, () => tip)) return null;
  return lastGate.failing === null ? lastGate.verdict : `${lastGate.verdict}: ${lastGate.failing}`;
}
