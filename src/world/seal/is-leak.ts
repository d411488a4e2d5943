import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { taskId } from '../../core/ids.ts';
import { readRef } from '../git/refs.ts';
import type { Fingerprint } from './fingerprint.ts';
import { readFingerprint, textOf } from './fingerprint.ts';
import { readTrace } from './git-trace.ts';
import { openIsAlone, runFolders } from './other-runs.ts';
import { findMovedRef } from './refs-moved.ts';
import type { Scene, SealPlace } from './scene.ts';
import { openTold } from './told.ts';

/** Written when an iteration was checked. */
export const BREACH = 'breach.json';

/**
 * Whether a ref stands where an agent put it that nobody has checked yet. Until then it must not be taken for the user's own
 * work: it would be landed, and published over what the check puts back.
 */
export async function isLeak(place: Pick<SealPlace, 'repo' | 'view'>, ref: string): Promise<boolean> {
  const now = await readRef(place.view, ref);
  for (const { loop, n, dir } of runFolders(place.repo)) {
    if (existsSync(join(dir, BREACH))) continue;
    const before = readFingerprint(dir);
    if (before === null || before.refs[ref] === (now ?? undefined)) continue;
    const iteration = { loop, task: taskId('unknown'), n, slot: 0, cwd: ownWorktree(before) };
    const { [ref]: _, ...others } = before.refs;
    const scene: Scene = {
      place: { ...place, identity: { name: '', email: '' }, ignored: [], worktreeRoot: dirname(iteration.cwd) },
      iteration,
      branch: '',
      before,
      after: {
        ...before,
        refs: now === null ? others : { ...others, [ref]: now },
        head: textOf(join(place.repo.commonDir, 'HEAD')),
      },
      trace: await readTrace(dir),
      fromMs: before.atMs,
      toMs: Date.now(),
      told: openTold(dir),
      isAlone: openIsAlone(place.repo, iteration),
    };
    if (findMovedRef(scene, ref)?.isLast === true) return true;
  }
  return false;
}

const ownWorktree = ({ own, worktrees }: Fingerprint): string =>
  (own === null ? null : worktrees[own.adminDir]?.path) ?? '/';
