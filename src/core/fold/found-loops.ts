import type { FoundLoop, Stamp } from '../model/events.ts';
import { park } from '../loops/loop.ts';
import type { Loop, State } from '../model/model.ts';
import { isLive, loopsOf, UNTOLD, UNWORKED } from '../model/model.ts';
import { findTask } from '../model/tasks.ts';

/**
 * Takes in work that the log does not know. What is on a branch is judged by the gates first, and goes on from there, unless
 * its agent strayed: that waits for a person, whatever else is forgotten.
 */
export function foundLoops(state: State, found: readonly FoundLoop[], stamp: Stamp): State {
  let next = state;
  for (const one of found) if (isNews(next, one)) next = takeIn(next, one, stamp);
  return next;
}

/** A task has one loop at a time, and what landed is not done again. */
function isNews(state: State, { loop, task }: FoundLoop): boolean {
  if (state.loops[loop] != null || state.landed[task] != null) return false;
  return !loopsOf(state).some((other) => other.task === task && isLive(other));
}

function takeIn(state: State, found: FoundLoop, stamp: Stamp): State {
  const { loop: id, task, title, attempt, branch, base, baseTree, head, tree, worktree } = found;
  // Nothing was done yet: there is nothing to judge.
  const hasWork = tree !== baseTree && worktree !== null;
  const loop: Loop = {
    id,
    task,
    title,
    group: findTask(state, task)?.group ?? null,
    attempt,
    branch,
    agent: '',
    host: null,
    slot: 0,
    fence: stamp.seq,
    onto: [],
    phase: hasWork ? { at: 'gating', n: 0 } : { at: 'preparing' },
    since: stamp.at,
    claimedAt: stamp.at,
    worktree,
    worktreeState: worktree === null ? 'none' : 'made',
    base,
    baseTree,
    head,
    tree,
    ...UNWORKED,
    // It may have landed without our knowing.
    landings: 1,
    ...UNTOLD,
    // Nobody gave it back, as far as anybody knows.
    hostDied: true,
  };
  const taken = found.tampered === undefined ? loop : park(loop, 'tampered', found.tampered, stamp);
  const attempts = { ...state.attempts, [task]: Math.max(attempt, state.attempts[task] ?? 0) };
  return { ...state, loops: { ...state.loops, [id]: taken }, attempts };
}
