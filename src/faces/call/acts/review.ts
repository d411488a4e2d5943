import { AppError } from '../../../core/model/errors.ts';
import { invariant } from '../../../core/model/assert.ts';
import { sha } from '../../../core/model/ids.ts';
import type { LoopId, Sha } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import type { Loop, ReviewComment, State } from '../../../core/model/model.ts';
import type { Event } from '../../../core/model/events.ts';
import { whyNotReviewed } from '../../../core/fold/review.ts';
import type { NotReviewed } from '../../../core/fold/review.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { branchTip } from '../../../world/worktrees/worktrees.ts';
import { writeFacts } from '../write-facts.ts';

type Verdict = Extract<Event, { type: 'loop-reviewed' }>['verdict'];

export interface ReviewOrder {
  readonly loop: LoopId;
  /** What the person read, as they name it; null: what is there now. */
  readonly head: string | null;
  readonly verdict: Verdict;
  readonly comments: readonly ReviewComment[];
  /** Whether it is still to be written down, by what is so then; absent: it is. */
  readonly isWanted?: (state: State) => boolean;
}

/** Writes a person's word on a loop down. An approval is refused where the branch is no longer at the head they read. `before`: what was so then. */
export async function reviewLoop(
  repo: Repository,
  { loop: id, head, verdict, comments, isWanted }: ReviewOrder,
): Promise<{ readonly before: State; readonly head: Sha }> {
  let seen: Sha | null = null;
  const before = await writeFacts(repo, async (state) => {
    const loop = state.loops[id];
    invariant(loop !== undefined, `loop ${id} is in the log`);
    refuseReview(state, loop, verdict);
    seen = await headToReview(repo, loop, head, verdict);
    if (isWanted?.(state) === false) return [];
    return [{ type: 'loop-reviewed', loop: id, head: seen, verdict, comments }];
  });
  invariant(seen !== null, 'a review is of one head');
  return { before, head: seen };
}

/** Where its branch is now, if that is what the person read. */
export async function headToReview(repo: Repository, loop: Loop, named: string | null, verdict: Verdict): Promise<Sha> {
  const tip = (await branchTip(repo, loop.branch)) ?? loop.head;
  const read = named === null ? tip : await resolve(repo, named);
  const id = shellWord(loop.id);
  if (tip === null || read === null)
    throw new AppError(
      'E_USAGE',
      named === null ? `loop ${loop.id} has changed nothing yet` : `no commit here is called ${JSON.stringify(named)}`,
      { remedy: named === null ? `ralph loops logs ${id}` : `ralph review ${id}` },
    );
  if (verdict === 'approved' && read !== tip)
    throw new AppError('E_MOVED', `${loop.branch} is at ${tip}, and you name ${read}`, {
      facts: ['nothing is approved and nothing lands: read the changes first'],
      remedy: `ralph review ${id}`,
    });
  return read;
}

async function resolve(repo: Repository, named: string): Promise<Sha | null> {
  const view = await openView(repo);
  const words = ['rev-parse', '-q', '--verify', '--end-of-options', `${named}^{commit}`];
  const { code, stdout } = await view.run(words, { ok: [0, 1, 128] });
  return code === 0 ? sha(stdout.trim()) : null;
}

export function refuseReview(state: State, loop: Loop, verdict: Verdict): void {
  const why = whyNotReviewed(state, loop, verdict);
  if (why === null) return;
  const { words, remedy } = refusalOf(state, loop, why);
  const what = verdict === 'approved' ? 'be approved' : 'be sent back';
  throw new AppError(
    why === 'working' || why === 'landing' ? 'E_BUSY' : 'E_LOOP_ENDED',
    `loop ${loop.id} cannot ${what}: ${words}`,
    {
      remedy,
    },
  );
}

function refusalOf(state: State, loop: Loop, why: NotReviewed): { readonly words: string; readonly remedy: string } {
  const id = shellWord(loop.id);
  const task = shellWord(taskIdOf(state, loop.task));
  switch (why) {
    case 'working':
      return { words: 'it is still at work', remedy: `ralph loops logs ${id} -f` };
    case 'landing':
      return { words: 'it is landing at this moment', remedy: 'ralph queue --watch' };
    case 'landed':
      return { words: 'it has landed', remedy: `ralph loops diff ${id}` };
    case 'taken':
      return { words: 'its task has landed, or another loop works on it', remedy: `ralph tasks show ${task}` };
    case 'unfinished':
      return { words: 'it was parked before it was done', remedy: `ralph loops resume ${id}` };
    case 'tampered':
      return { words: 'its agent changed things outside its worktree', remedy: `ralph tasks reset ${task}` };
    case 'discarded':
      return { words: 'it was discarded', remedy: 'ralph undo' };
    case 'reset':
      return { words: 'its task was freed', remedy: 'ralph run' };
  }
}
