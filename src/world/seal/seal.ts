import { join } from 'node:path';
import { makePrivateFolder } from '../agent-run/agent-file.ts';
import { openLoopLog } from '../agent-run/loop-log.ts';
import { runFolder, workerLog } from '../state-places.ts';
import type { Iteration, Seal } from '../world.ts';
import { readNoted, settle } from './check.ts';
import type { Checkout } from './checkout.ts';
import { openCheckoutLook } from './checkout.ts';
import { findFiles } from './find-files.ts';
import { readFingerprint, takeFingerprint, writeFingerprint } from './fingerprint.ts';
import { readTrace } from './git-trace.ts';
import { openIsAlone } from './other-runs.ts';
import { writtenMs } from './scene.ts';
import type { Scene, SealPlace } from './scene.ts';
import { openTold } from './told.ts';
import { closeTrace, openTrace, sweepTraces } from './trace-place.ts';

export type { SealPlace } from './scene.ts';

const UNCLEAR_SHOWN = 5;

/**
 * Notices what an agent does outside its worktree. The user, other loops and we ourselves work on the same repository at the
 * same time, so a change alone says nothing: somebody is accused only by what git wrote down of the agent's own commands, by
 * its own words, or where nobody else could have done it.
 */
export function openSeal(place: SealPlace): Seal {
  const look = together(openCheckoutLook(place.repo, place.view));
  const folderOf = ({ loop, n }: Iteration): string => runFolder(place.repo, loop, n);
  sweepTraces(place.worktreeRoot);
  return {
    take: async (iteration) => {
      const dir = folderOf(iteration);
      makePrivateFolder(dir);
      openTrace(dir, iteration);
      writeFingerprint(dir, await takeFingerprint(place, iteration.cwd, look));
    },
    check: async (iteration, branch) => {
      const dir = folderOf(iteration);
      const known = readNoted(dir);
      const before = readFingerprint(dir);
      if (known?.isDone === true || before === null) {
        closeTrace(iteration);
        return known?.breach ?? null;
      }
      const scene: Scene = {
        place,
        iteration,
        branch,
        before,
        after: await takeFingerprint(place, iteration.cwd, look),
        trace: await readTrace(dir),
        fromMs: before.atMs,
        toMs: writtenMs(join(dir, 'exit')) ?? Date.now(),
        told: openTold(dir),
        isAlone: openIsAlone(place.repo, iteration),
      };
      const { findings, unclear } = findFiles(scene);
      if (unclear.length > 0) note(scene, unclear);
      const breach = await settle(scene, dir, findings, known);
      closeTrace(iteration);
      return breach;
    },
  };
}

/** Loops that look at the same moment look together; nobody gets an answer that is older than their question. */
function together(look: () => Promise<Checkout | null>): () => Promise<Checkout | null> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Checkout | null> | null = null;
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
