import { join } from 'node:path';
import type { Breach } from '../../core/model.ts';
import { makePrivateFolder, readJsonFile, writePrivately } from '../agent-run/agent-file.ts';
import { openLoopLog } from '../agent-run/loop-log.ts';
import { runFolder, workerLog } from '../state-places.ts';
import type { Iteration, Seal } from '../world.ts';
import type { Checkout } from './checkout.ts';
import { openCheckoutLook } from './checkout.ts';
import { findFiles } from './find-files.ts';
import { findConfig } from './find-config.ts';
import { findGitFiles } from './find-git-files.ts';
import { findHead, findIndex } from './find-head.ts';
import { findRefs } from './find-refs.ts';
import { findStash } from './find-stash.ts';
import { findPointer, findRemovedWorktrees } from './find-worktrees.ts';
import { readFingerprint, takeFingerprint, writeFingerprint } from './fingerprint.ts';
import { readTrace } from './git-trace.ts';
import { keepLeaks } from './keep-leaks.ts';
import { openIsAlone } from './other-runs.ts';
import { writtenMs } from './scene.ts';
import type { Finding, Scene, SealPlace } from './scene.ts';
import { openTold } from './told.ts';
import { closeTrace, openTrace, sweepTraces } from './trace-place.ts';

export type { SealPlace } from './scene.ts';

const BREACH = 'breach.json';
const UNCLEAR_SHOWN = 5;

/**
 * Notices what an agent does outside its worktree. The user, other loops and we ourselves work on the same repository at the
 * same time, so a change alone says nothing: somebody is accused only by what git wrote down of the agent's own commands, by
 * its own words, or where nobody else could have done it.
 */
export function openSeal(place: SealPlace): Seal {
  const look = shared(openCheckoutLook(place.repo, place.view));
  sweepTraces(place.worktreeRoot);
  const folderOf = ({ loop, n }: Iteration): string => runFolder(place.repo, loop, n);
  return {
    take: async (iteration) => {
      const dir = folderOf(iteration);
      makePrivateFolder(dir);
      openTrace(dir, iteration);
      writeFingerprint(dir, await takeFingerprint(place, iteration.cwd, look));
    },
    check: async (iteration, branch) => {
      const dir = folderOf(iteration);
      const known = readBreach(dir);
      const breach = known?.isDone === true ? known.breach : await check(place, look, dir, iteration, branch, known);
      closeTrace(iteration);
      return breach;
    },
  };
}

/** Loops that look at the same moment look together; nobody gets an answer that is older than their question. */
function shared(look: () => Promise<Checkout | null>): () => Promise<Checkout | null> {
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

interface Noted {
  readonly breach: Breach;
  /** Everything that could be put back has been. */
  readonly isDone: boolean;
}

function readBreach(dir: string): Noted | null {
  const value = readJsonFile(join(dir, BREACH)) as Partial<Noted> | null;
  return value?.breach === undefined ? null : (value as Noted);
}

/** What a host that died at it had found out stays true: the half that it put back can no longer be seen. */
async function check(
  place: SealPlace,
  look: () => Promise<Checkout | null>,
  dir: string,
  iteration: Iteration,
  branch: string,
  known: Noted | null,
): Promise<Breach | null> {
  const before = readFingerprint(dir);
  if (before === null) return known?.breach ?? null;
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
  const { findings, unclear } = await findAll(scene, dir);
  if (unclear.length > 0) note(scene, unclear);
  if (findings.length === 0) return known?.breach ?? null;
  const { did, kept, restored } = known?.breach ?? { did: [], kept: [], restored: [] };
  const breach = {
    did: [...new Set([...did, ...findings.map((one) => one.did)])],
    kept: [...new Set([...kept, ...(await keepLeaks(scene, findings))])],
    restored: [...restored],
  };
  const write = (isDone: boolean): void => writePrivately(join(dir, BREACH), JSON.stringify({ breach, isDone }));
  write(false);
  for (const { restore } of findings) {
    const said = (await restore?.()) ?? null;
    if (said !== null && !breach.restored.includes(said)) breach.restored.push(said);
  }
  write(true);
  return breach;
}

/** In the order in which they are put back: first what git would obey while the rest is done. */
async function findAll(
  scene: Scene,
  dir: string,
): Promise<{ readonly findings: readonly Finding[]; readonly unclear: readonly string[] }> {
  const files = findFiles(scene);
  return {
    findings: [
      ...findPointer(scene, dir),
      ...(await findConfig(scene)),
      ...findGitFiles(scene),
      ...findRefs(scene),
      ...findHead(scene),
      ...findIndex(scene),
      ...findStash(scene),
      ...findRemovedWorktrees(scene),
      ...files.findings,
    ],
    unclear: files.unclear,
  };
}

function note({ place, iteration }: Scene, unclear: readonly string[]): void {
  const more = unclear.length > UNCLEAR_SHOWN ? ` and ${unclear.length - UNCLEAR_SHOWN} more` : '';
  const log = openLoopLog(workerLog(place.repo, iteration.slot, iteration.task), () => Date.now());
  log.note(
    `the checkout changed while iteration ${iteration.n} ran (${unclear.slice(0, UNCLEAR_SHOWN).join(', ')}${more}); nothing tells by whom`,
  );
}
