import type { LoopId } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { GUARDS, isGuard } from '../../core/loops/rework.ts';
import { findTask, taskIdOf } from '../../core/model/tasks.ts';
import type { Intent, ReworkFacts, ReworkRole } from '../../text/prompt/facts.ts';

/** What an agent has to know about work that did not fit: both intents, and what is still wrong. */
export function reworkFacts(state: State, loop: Loop, target: string): ReworkFacts | null {
  const { rework, lastGate } = loop;
  if (rework === null) return null;
  const failing = lastGate?.verdict === 'red' ? lastGate.failing : null;
  const lines = (lastGate?.tail ?? '').split('\n');
  return {
    kind: rework.kind,
    role: roleOf(loop, failing),
    target,
    paths: rework.paths,
    markersLeft: failing === GUARDS.markers ? lines : [],
    strayed: failing === GUARDS.stray ? lines : [],
    mine: intentOf(state, loop),
    theirs: rework.with.flatMap((id) => landedIntent(state, id)),
    detail: rework.detail,
    asked: rework.asked ?? [],
  };
}

/** First the conflict, then what a guard found, then what a gate says. */
function roleOf({ rework }: Loop, failing: string | null): ReworkRole {
  if (rework?.by !== 'resolver') return 'owner';
  if (isGuard(failing)) return 'cleaner';
  return failing === null ? 'resolver' : 'tester';
}

function intentOf(state: State, loop: Loop): Intent {
  return {
    id: taskIdOf(state, loop.task),
    title: loop.title,
    body: findTask(state, loop.task)?.body ?? '',
  };
}

function landedIntent(state: State, id: LoopId): ReworkFacts['theirs'] {
  const loop = state.loops[id];
  if (loop?.phase.at !== 'landed') return [];
  return [{ ...intentOf(state, loop), commit: loop.phase.commit }];
}
