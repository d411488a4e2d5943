import { withEntry, withLoop } from '../loops/draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import { taskId, taskKey } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { promptTracker } from '../model/tasks.ts';
import { UNTOLD, UNWORKED } from '../model/unworked.ts';

/** A commit that undoes a landing waits to land, as the work of a loop whose only task that is. Nobody has to approve it: a person made it. */
export function revertMade(state: State, event: Extract<Event, { type: 'revert-made' }>, stamp: Stamp): State {
  const { loop: id, task: undone, commit, title, branch, base, baseTree, head, tree } = event;
  if (state.loops[id] !== undefined || state.landed[undone]?.commit !== commit) return state;
  const tracker = promptTracker(id);
  const own = taskId(id);
  const body = `Undo what landed as ${commit}, so that the gates pass without it. Keep what landed after it.`;
  const marks = { acceptance: [], group: null, deps: [], priority: null, status: 'open', blockedReason: null } as const;
  const loop: Loop = {
    id,
    task: taskKey(tracker, own),
    title,
    group: null,
    attempt: 1,
    branch,
    ...(state.target === null ? {} : { target: state.target }),
    agent: '',
    host: null,
    slot: 0,
    fence: stamp.seq,
    onto: [],
    phase: { at: 'ready', queued: true, readySeq: stamp.seq },
    since: stamp.at,
    claimedAt: stamp.at,
    worktree: null,
    worktreeState: 'none',
    base,
    baseTree,
    begun: base,
    head,
    tree,
    ...UNWORKED,
    landings: 0,
    ...UNTOLD,
    reviewed: { head, verdict: 'approved', at: stamp.at },
    reverts: { task: undone, commit },
  };
  const tasks = [{ id: own, title, body, line: 1, ...marks }];
  const trackers = withEntry(state.trackers, tracker, { digest: '', tasks });
  return withLoop({ ...state, trackers, attempts: withEntry(state.attempts, loop.task, 1) }, loop);
}
