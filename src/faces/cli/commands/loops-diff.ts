import type { ExitCode } from '../../../core/model/errors.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import { canBeQueued } from '../../../core/loops/landing-queue.ts';
import type { Loop } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { treeOf } from '../../../world/git/objects/trees.ts';
import { openView } from '../../../world/git/run/view.ts';
import type { LoopDiff } from '../../../world/loops/loop-diff.ts';
import { diffStat, findLoopDiff, isSame, writeDiff } from '../../../world/loops/loop-diff.ts';
import { readLoopFiles } from '../../../world/checkout/loop-files.ts';
import { findLoop } from '../../call/find-loop.ts';
import { targetFor } from '../run/as-started.ts';
import { showPatch, writeJson } from '../show/show-patch.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';

/** With a patch it is written as git gives it, for a patch may be larger than memory. */
interface DiffAnswer extends LoopDiff {
  readonly loop: string;
  readonly branch: string;
  readonly target: string;
  readonly uncommitted: boolean;
  readonly stat: string;
  readonly patch: string | null;
}

/** What a loop has made since it left the target, wherever that is kept by now; of one that is not done, its files as they are now. */
export const handle = async (call: Call): Promise<Answer<DiffAnswer> | ExitCode> => {
  const { repo, config } = await openProject(call);
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  const { target } = await preflight(repo, targetFor(call, repo, loop.id, config.settings));
  const view = await openView(repo);
  const found = await findLoopDiff(view, state, loop, target);
  if (found === null) throw nothingLeft(loop);
  const isAsked = call.flags['worktree'] === true;
  const files = isAsked || isUnfinished(loop) ? await readLoopFiles(repo, view, loop, target) : null;
  if (isAsked && files === null) throw noFiles(loop);
  const { head, from } = found;
  const to = files?.tree ?? head;
  const base = files?.base ?? found.base;
  const uncommitted = files !== null && (await treeOf(view, head)) !== to;
  const how = call.flags['stat'] === true ? 'stat' : 'patch';
  const write = writeDiff(view, base, to, how);
  if (call.flags['json'] === true) {
    const stat = await diffStat(view, base, to);
    const data = { loop: loop.id, branch: loop.branch, target, base, head, from, uncommitted, stat, patch: null };
    if (how === 'stat') return { data };
    await writeJson({ version: 1, ...data, patch: '' }, write);
    return EXIT.ok;
  }
  sayWhere(call, loop, found);
  if (uncommitted) call.out.say(`with what is not committed yet in ${files.path}`);
  if (await isSame(view, base, to))
    call.out.say(`${loop.id} changes nothing since it left ${target} at ${base.slice(0, 12)}`);
  else await showPatch(call, write);
  if (loop.phase.at === 'parked' && canBeQueued(loop)) {
    const id = shellWord(loop.id);
    call.out.say(`next: ralph land ${id}   or discard it, its work is kept: ralph loops discard ${id}`);
  }
  return EXIT.ok;
};

/** What is not committed there is its work all the same. A checkout it no longer works in is a person's again. */
const isUnfinished = (loop: Loop): boolean =>
  isWorking(loop) || (loop.phase.at === 'parked' && loop.place.at === 'worktree');

const noFiles = ({ id }: Loop): AppError =>
  new AppError('E_NO_WORKTREE', `loop ${id} has no worktree with uncommitted changes any more`, {
    remedy: `ralph loops diff ${shellWord(id)}`,
  });

function sayWhere({ out }: Call, { id, branch, phase }: Loop, { head, from }: LoopDiff): void {
  if (from === 'landing' && phase.at === 'landed') out.say(`${id} landed as ${phase.commit}`);
  if (from === 'keep' || from === 'log') out.say(`${branch} is gone; this is what was kept of it, at ${head}`);
}

function nothingLeft({ id, iteration }: Loop): AppError {
  if (iteration === 0)
    return new AppError('E_UNKNOWN_ID', `loop ${id} has changed nothing yet`, {
      remedy: `ralph loops logs ${shellWord(id)} -f`,
    });
  return new AppError('E_UNKNOWN_ID', `nothing is left of the branch of loop ${id}`, {
    facts: ['neither its branch nor a keep of it is there'],
    remedy: `ralph loops history ${shellWord(id)}`,
  });
}
