import { join } from 'node:path';
import { makePrivateFolder } from '../os/files.ts';
import { openLoopLog } from '../worktrees/loop-log.ts';
import { holdTrust } from '../git/run/trusted-folder.ts';
import { committedSince, noteAgentCommits } from './own-commits.ts';
import { giveBackFiles, giveBackIndex, noteStanding } from './give-back-index.ts';
import { giveBackIgnored, keepIgnored } from '../checkout/keep-ignored.ts';
import { takeBackCommits } from './take-back-commits.ts';
import { noteChecked, noteOpenSeal } from '../git/run/open-seals.ts';
import { runFolder, workerLog } from '../git/run/state-places.ts';
import { readNoted, settle } from './check.ts';
import { findFiles } from './find-files.ts';
import { openSurroundings, readFingerprint, takeFingerprint, writeFingerprint } from './fingerprint.ts';
import { readTrace } from '../git/trace/git-trace.ts';
import { holdStash, releaseStash } from './hold-stash.ts';
import { findMadeRefs } from './refs-moved.ts';
import { openProgram } from './program.ts';
import { noteInPlace, openIsAlone, openIsTaken } from './other-runs.ts';
import { writtenMs } from './scene.ts';
import { openTold } from './told.ts';
import { closeTrace, openTrace, sweepTraces } from '../git/trace/trace-place.ts';
import type { Iteration, Seal } from '../contract/world.ts';
import type { FileFindings } from './find-files.ts';
import type { Scene, SealPlace } from './scene.ts';

export type { SealPlace } from './scene.ts';

const UNCLEAR_SHOWN = 5;
/** Who works in the user's checkout changes its files, that is all it does. */
const NO_FILES: FileFindings = { findings: [], unclear: [] };

/**
 * Notices what an agent does outside its worktree. The user, other loops and we ourselves work on the same repository at the
 * same time, so a change alone says nothing: somebody is accused only by what git wrote down of the agent's own commands, by
 * its own words, or where nobody else could have done it.
 */
export function openSeal(place: SealPlace): Seal {
  const look = together(openSurroundings(place.repo, place.view));
  const folderOf = ({ loop, n }: Iteration): string => runFolder(place.repo, loop, n);
  for (const folder of [place.worktreeRoot, place.repo.stateDir]) sweepTraces(folder);
  return {
    take: async (iteration) => {
      const dir = folderOf(iteration);
      makePrivateFolder(dir);
      await holdTrust(place.repo.commonDir);
      openTrace(dir, iteration);
      if (iteration.inPlace === true) {
        noteInPlace(dir);
        await noteStanding(place.repo, iteration);
        await keepIgnored(place, iteration);
      }
      const print = await takeFingerprint(place.repo, iteration.cwd, look);
      writeFingerprint(dir, print);
      const { loop, n } = iteration;
      noteOpenSeal(place.repo.commonDir, { loop, n, dir, atMs: print.atMs });
      await holdStash(place, iteration, print.stash);
    },
    check: async (iteration, branch) => {
      const dir = folderOf(iteration);
      const known = readNoted(dir);
      let before = readFingerprint(dir);
      if (known?.isDone === true || before === null) {
        await close(place, iteration);
        return known?.breach ?? null;
      }
      const trace = await readTrace(dir);
      if (iteration.inPlace === true) {
        const begun = before;
        await noteAgentCommits(place, { iteration, branch, before, trace });
        before = await takeBackCommits(place, { iteration, branch, before, trace });
        const committed = await committedSince(place, iteration, begun);
        await giveBackFiles(place, iteration, trace, committed);
        await giveBackIndex(place.repo, iteration, trace, committed);
        await giveBackIgnored(place, iteration);
      }
      const toMs = writtenMs(join(dir, 'exit')) ?? Date.now();
      const isAlone = openIsAlone(place.repo, iteration);
      const seen: Scene = {
        place,
        iteration,
        branch,
        before,
        after: await takeFingerprint(place.repo, iteration.cwd, look),
        trace,
        made: new Set(),
        fromMs: before.atMs,
        toMs,
        told: openTold(dir),
        programmed: programmedWithin(openProgram(dir, iteration.task), { fromMs: before.atMs, toMs, isAlone }),
        isAlone,
        isTaken: openIsTaken(place.repo, iteration),
      };
      const scene = { ...seen, made: await findMadeRefs(seen) };
      const files = iteration.inPlace === true ? NO_FILES : await findFiles(scene);
      if (files.unclear.length > 0) note(scene, files.unclear);
      const breach = await settle(scene, dir, files, known);
      await close(place, iteration);
      return breach;
    },
  };
}

/** What is missing of the stash was kept by now, or taken by its owner. */
async function close(place: SealPlace, iteration: Iteration): Promise<void> {
  await releaseStash(place, iteration);
  noteChecked(place.repo.commonDir, iteration);
  closeTrace(iteration);
}

/** What its text says counts for a file that was written while it lived. */
function programmedWithin(
  says: ReturnType<typeof openProgram>,
  { fromMs, toMs, isAlone }: Pick<Scene, 'fromMs' | 'toMs' | 'isAlone'>,
): Scene['programmed'] {
  return (file) => {
    const atMs = writtenMs(file);
    if (atMs !== null && (atMs < fromMs || atMs > toMs)) return false;
    return says(file, isAlone(atMs ?? toMs));
  };
}

/** Loops that look at the same moment look together; nobody gets an answer that is older than their question. */
function together<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      const mine = look();
      next = null;
      running = mine.catch(() => {});
      return mine;
    });
    return next;
  };
}

function note({ place, iteration }: Scene, unclear: readonly string[]): void {
  const more = unclear.length > UNCLEAR_SHOWN ? ` and ${unclear.length - UNCLEAR_SHOWN} more` : '';
  const log = openLoopLog(workerLog(place.repo, iteration.slot, iteration.task), () => Date.now());
  log.note(
    `the checkout changed while iteration ${iteration.n} ran (${unclear.slice(0, UNCLEAR_SHOWN).join(', ')}${more}); nothing tells by whom`,
  );
}
