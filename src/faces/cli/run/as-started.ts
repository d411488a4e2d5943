import type { LoopId } from '../../../core/model/ids.ts';
import type { Settings } from '../../../core/model/settings.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { readStartedWith, writeStartedWith } from '../../../world/loops/started-with.ts';
import type { Call } from '../../call/handler.ts';

/** Writes down what a single loop was asked for beside its prompt. */
export function noteStart(call: Call, repo: Repository, loop: LoopId): void {
  const { settings, flags } = call;
  writeStartedWith(repo, loop, {
    settings: Object.fromEntries(settings),
    staysReady: flags['autoMerge'] === false,
  });
}

const TARGET = 'landing.target';

/** Where a loop was told to land when it was started; null: where all others do. */
export const ownTarget = (repo: Repository, loop: LoopId): string | null =>
  readStartedWith(repo, loop)?.settings[TARGET] ?? null;

/** The target of one loop: as typed now, as it was started, or as set. */
export const targetFor = (call: Call, repo: Repository, loop: LoopId, settings: Settings): string | null =>
  call.settings.has(TARGET) ? settings.landing.target : (ownTarget(repo, loop) ?? settings.landing.target);

/** The call with the target that its loop was started with, unless another one was typed now. */
export function toOwnTarget(call: Call, repo: Repository, loop: LoopId): Call {
  const target = ownTarget(repo, loop);
  if (target === null || call.settings.has(TARGET)) return call;
  return { ...call, settings: new Map([...call.settings, [TARGET, target]]) };
}

/** The call as if everything that the loop was started with had been typed once more; what was typed now counts above it. */
export function asStarted(call: Call, repo: Repository, loop: LoopId): Call {
  const started = readStartedWith(repo, loop);
  if (started === null) return call;
  const isChosenAnew = call.settings.has('parallel.merge_policy');
  return {
    ...call,
    settings: new Map([...Object.entries(started.settings), ...call.settings]),
    flags: started.staysReady && !isChosenAnew ? { ...call.flags, autoMerge: false } : call.flags,
  };
}
