import { gatesSaid } from '../../../core/views/gates-said.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isJudged } from '../../../core/views/loops-view.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { findReviewDiff, writeReview } from '../../../world/loops/review-diff.ts';
import type { ReadFirst, ReviewDiff, ReviewFile } from '../../../world/loops/review-diff.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import type { Call } from '../../call/handler.ts';
import { showPatch, writeJson } from './show-patch.ts';

const FIRST: Readonly<Record<ReadFirst, string>> = {
  obeyed: 'later gates and agents use it',
  'deletes-test': 'a test is deleted',
  'shortens-test': 'a test loses lines',
};

interface Shown {
  readonly state: State;
  readonly loop: Loop;
  readonly target: string;
}

/** With `--json`, written as git gives the patch. */
export interface ReviewShown extends Pick<ReviewDiff, 'head' | 'base' | 'since'> {
  readonly loop: string;
  readonly task: string;
  readonly title: string;
  readonly gates: 'green' | 'red' | null;
  readonly files: readonly (Omit<ReviewFile, 'isDeleted'> & { readonly deleted: boolean })[];
  readonly patch: string;
}

/** What a person has to know before they read the patch, and the patch; what decides for others comes first. */
export async function showReview(call: Call, repo: Repository, { state, loop, target }: Shown): Promise<ExitCode> {
  const view = await openView(repo);
  const diff = await findReviewDiff(view, { state, loop, target }, call.flags['whole'] === true);
  if (diff === null)
    throw new AppError('E_USAGE', `loop ${loop.id} has changed nothing yet`, {
      remedy: `ralph loops logs ${shellWord(loop.id)}`,
    });
  const write = writeReview(view, diff);
  const gates = isJudged(loop, () => diff.head) ? gatesSaid(loop.lastGate) : null;
  if (call.flags['json'] === true) {
    const { head, base, since } = diff;
    const files = diff.files.map(({ isDeleted, ...file }) => ({ ...file, deleted: isDeleted }));
    const own = { loop: loop.id, task: taskIdOf(state, loop.task), title: loop.title };
    const shown: ReviewShown = { ...own, head, base, since, gates, files, patch: '' };
    await writeJson({ version: 1, ...shown }, write);
    return EXIT.ok;
  }
  for (const line of summaryOf(state, loop, diff, gates)) call.out.say(line);
  if (diff.files.length > 0) await showPatch(call, write);
  const id = shellWord(loop.id);
  call.out.say(`next: ralph review ${id} --approve --head ${diff.head.slice(0, 12)}`);
  call.out.say(`  or: ralph review ${id} --changes -m "what to change"`);
  return EXIT.ok;
}

function summaryOf(state: State, loop: Loop, diff: ReviewDiff, gates: string | null): readonly string[] {
  const { files, head, since } = diff;
  const sum = (count: (file: ReviewFile) => number | null): number =>
    files.reduce((all, file) => all + (count(file) ?? 0), 0);
  const size = `${howMany(files.length, 'file')} +${sum(({ added }) => added)} -${sum(({ removed }) => removed)}`;
  const first = files.filter((file) => file.first !== null);
  return [
    `${taskIdOf(state, loop.task)}  ${cleanLine(loop.title)}`,
    `${loop.branch} at ${head.slice(0, 12)}: ${cleanLine(describeStanding(standing(state, loop)))}; gates ${gates ?? 'have not run on it'}`,
    since === null
      ? size
      : `${size} since you read ${since.slice(0, 12)}; all of it: ralph review ${shellWord(loop.id)} --whole`,
    ...first.map(({ path, first: why }) => `! ${cleanLine(path)}: ${why === null ? '' : FIRST[why]}`),
  ];
}
