import { randomUUID } from 'node:crypto';
import { AppError, type ErrorCode } from '../../../core/model/errors.ts';
import type { State } from '../../../core/model/model.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import { type OurWorktree, cleanWorktree, ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import type { Output } from '../../call/output.ts';
import { filesText, restoreCommand } from '../show/keep-view.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';

export interface Gone {
  readonly path: string;
  readonly branch: string | null;
  readonly loop: string | null;
  /** The id of what was kept; null: there was nothing to keep. */
  readonly kept: string | null;
  readonly files: number;
}

export interface Stays {
  readonly path: string;
  readonly branch: string | null;
  readonly why: string;
}

export interface Outcome {
  readonly gone: readonly Gone[];
  readonly stays: readonly Stays[];
  /** Why one of them is half gone; null: none is. */
  readonly failed: AppError | null;
}

/** What keeps one from going, and no other. */
const PASSED_OVER: readonly ErrorCode[] = ['E_NEEDS_PERSON', 'E_BUSY', 'E_UNREMOVABLE'];

export const newTogether = (): string => randomUUID().slice(0, 8);

/** Takes worktrees away, one after the other; one that cannot go stays, with the reason, and the others go all the same. */
export async function takeWorktrees(
  place: AwayPlace,
  going: readonly OurWorktree[],
  options: { readonly act: 'clean' | 'prune'; readonly together: string; readonly isDryRun: boolean },
): Promise<Outcome> {
  const gone: Gone[] = [];
  const stays: Stays[] = [];
  let failed: AppError | null = null;
  for (const ours of going) {
    const { path, branch } = ours;
    const loop = ours.loop?.id ?? null;
    if (options.isDryRun) gone.push({ path, branch, loop, kept: null, files: 0 });
    else
      try {
        const taken = await cleanWorktree(place, ours, options);
        if (taken === null) continue;
        await tellLoop(place, ours);
        gone.push({ path, branch, loop, kept: taken.kept?.id ?? null, files: taken.kept?.files ?? 0 });
      } catch (error) {
        if (!(error instanceof AppError) || !PASSED_OVER.includes(error.code)) throw error;
        if (error.code === 'E_UNREMOVABLE') failed ??= error;
        else stays.push({ path, branch, why: error.message });
      }
  }
  return { gone, stays, failed };
}

/** Those of loops that hold nothing that has not landed, and those that nobody uses. */
export async function cleanLoops({ repo, config }: Project, isDryRun: boolean): Promise<Outcome> {
  const place = await openKeep(repo, config.settings);
  const found = await ourWorktrees({ ...place, state: await readState(repo) });
  const going = found.filter((one) => one.keep === null);
  const taken = await takeWorktrees(place, going, { act: 'clean', together: newTogether(), isDryRun });
  const wanted = found.flatMap(({ path, branch, keep }) => (keep === null ? [] : [{ path, branch, why: keep }]));
  return { ...taken, stays: [...wanted, ...taken.stays] };
}

async function tellLoop({ repo }: AwayPlace, { loop, path }: OurWorktree): Promise<void> {
  if (loop === null || loop.worktree === null) return;
  const isStillThere = (state: State): boolean => state.loops[loop.id]?.worktree === path;
  await writeFacts(repo, async (state) => (isStillThere(state) ? [{ type: 'worktree-retired', loop: loop.id }] : []));
}

/** What went, what was kept of it, what stays and why, and how to have it back. */
export function sayOutcome(out: Output, { gone, stays }: Omit<Outcome, 'failed'>, isDryRun: boolean): void {
  for (const { path, kept, files } of gone) {
    const how = kept === null ? '' : `; kept as ${kept} (${filesText(files)})`;
    out.say(`${isDryRun ? 'would remove' : 'removed'} ${cleanLine(path)}${how}`);
  }
  for (const { path, why } of stays) out.say(`kept ${cleanLine(path)}: ${cleanLine(why)}`);
}

export function sayHowBack(out: Output, ids: readonly (string | null)[]): void {
  const [first, ...more] = ids.filter((id) => id !== null);
  if (first === undefined) return;
  out.say(
    `to take it back: ralph undo   ${more.length === 0 ? 'as a branch' : 'one of them'}: ${restoreCommand(first)}`,
  );
}
