import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { noteFeature } from '../../../world/worktrees/feature-note.ts';
import { fetchSubmodules, hasSubmodules } from '../../../world/worktrees/submodules.ts';
import { finishRemovals } from '../../../world/worktrees/finish-removals.ts';
import { missingFilters, withoutFilters } from '../../../world/git/run/missing-filters.ts';
import { adminDirOf } from '../../../world/git/files/worktree-admin.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { readTakenNote, bringBack, lastTaken, markUndone, whyNotBack } from '../../../world/keep/undo.ts';
import { writeLoopNote } from '../../../world/worktrees/loop-notes.ts';
import { filesText, restoreCommand } from '../show/keep-view.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';
import type { Event } from '../../../core/model/events.ts';
import type { State } from '../../../core/model/model.ts';
import type { WorktreeSettings } from '../../../core/model/settings.ts';
import type { Keep } from '../../../world/keep/list-keeps.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import type { Call, Handler } from '../../call/handler.ts';

/** Takes back the last act that took something away: discard, prune, clean or the removal of a worktree. */
interface Undone {
  readonly act: string | null;
  readonly restored: readonly Pick<Keep, 'id' | 'loop' | 'branch' | 'path'>[];
  readonly blocked: readonly { readonly id: string; readonly why: string; readonly next: string }[];
}

export const handle: Handler<Undone> = async (call) => {
  refuseInLoop(call, 'undo');
  const { repo, config } = await openProject(call);
  await healWorktreeEntries(repo);
  await finishRemovals(repo);
  const place = await openKeep(repo, config.settings);
  const taken = await lastTaken(place, await readState(repo));
  const restored: Keep[] = [];
  const blocked: { readonly keep: Keep; readonly why: string }[] = [];
  for (const keep of taken) {
    const why = await whyNotBack(place, keep);
    if (why !== null) blocked.push({ keep, why });
    else {
      await takeBack(place, keep);
      restored.push(keep);
    }
  }
  const data = {
    act: taken[0]?.act ?? null,
    restored: restored.map(({ id, loop, branch, path }) => ({ id, loop, branch, path })),
    blocked: blocked.map(({ keep, why }) => ({ id: keep.id, why, next: restoreCommand(keep.id) })),
  };
  for (const keep of restored) {
    call.out.say(describe(keep));
    await fillSubmodules(call, keep, config.settings.worktree);
  }
  if (taken.length === 0) call.out.say('nothing to undo');
  const [first] = blocked;
  if (first === undefined) return { data };
  const error = new AppError('E_NEEDS_PERSON', `${first.keep.id} cannot go back to where it was: ${first.why}`, {
    facts: blocked.slice(1).map(({ keep, why }) => `${keep.id}: ${why}`),
    remedy: restoreCommand(first.keep.id),
  });
  return { data, error };
};

/** The loop is told when its work stands again, and only then is the act done with. */
async function takeBack(place: AwayPlace, keep: Keep): Promise<void> {
  await bringBack(place, keep);
  if (keep.act === 'remove') await noteFeatureAgain(place, keep);
  const { loop, path } = keep;
  if (loop !== null) {
    const state = await writeFacts(place.repo, async (now): Promise<readonly Event[]> =>
      isDiscarded(now, keep) ? [{ type: 'loop-restored', loop, path }] : [],
    );
    noteLoop(place, state, keep);
  }
  await markUndone(place, keep);
}

/** What a submodule holds was safe elsewhere when it went, so it comes from there again. */
async function fillSubmodules({ out }: Call, { act, path }: Keep, { submodules }: WorktreeSettings): Promise<void> {
  if (act !== 'remove' || path === null || !hasSubmodules(path)) return;
  const asked = submodules ? await fetchSubmodules(path, withoutFilters(await missingFilters(path))) : null;
  if (asked?.failed === null) return out.say(`submodules: ${asked.count}`);
  const why = asked === null ? 'worktree.submodules is off' : asked.failed;
  out.say(
    cleanLine(`submodules are missing: ${why}; again: git -C ${shellWord(path)} submodule update --init --recursive`),
  );
}

/** So did that of a worktree for a person: its name, what came along, and its ports, if they are still free. */
async function noteFeatureAgain({ repo }: AwayPlace, { path, commit }: Keep): Promise<void> {
  const before = readTakenNote(repo, commit)?.feature ?? null;
  const adminDir = path === null ? null : adminDirOf(repo, path);
  if (before !== null && adminDir !== null) await noteFeature(repo, adminDir, before);
}

function isDiscarded(state: State, { loop }: Keep): boolean {
  const phase = loop === null ? undefined : state.loops[loop]?.phase;
  return phase?.at === 'parked' && phase.reason === 'discarded';
}

/** The note beside the worktree went with it. */
function noteLoop({ repo }: AwayPlace, state: State, { loop, path }: Keep): void {
  const known = loop === null ? undefined : state.loops[loop];
  if (known === undefined || path === null || known.base === null) return;
  const { id, task, title, attempt, branch, base } = known;
  writeLoopNote(repo, path, { loop: id, task, title, attempt, branch, base });
}

function describe({ act, branch, path, files, loop }: Keep): string {
  const taking = act === 'remove' ? 'the removal' : act;
  const what = [branch === null ? null : `branch ${branch}`, path === null ? null : `worktree ${path}`];
  const where = what.filter((one) => one !== null).join(' and ');
  return cleanLine(`undid ${taking} of ${loop ?? branch ?? 'a worktree'}: ${where} (${filesText(files)})`);
}
