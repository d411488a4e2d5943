import { withBranch } from './besides.ts';
import { isTakenByAnother } from '../fold/land.ts';
import type { LoopStatus } from './loops-view.ts';
import type { Loop, ParkReason, State } from '../model/model.ts';
import { shellWord } from '../model/shell-word.ts';
import { isPromptTask } from '../model/tasks.ts';

const COMMIT_DIGITS = 12;

/** The command for whoever looks at a loop and wonders what to do. There is one for every state. */
export function loopNext(state: State, loop: Loop, status: LoopStatus): string {
  const id = shellWord(loop.id);
  switch (status) {
    case 'running':
      return `ralph loops logs ${id} -f`;
    case 'suspended':
      return wake(state, loop);
    case 'orphaned':
      return `ralph loops resume ${id}`;
    case 'interrupted':
      return goOn(loop);
    case 'waiting':
      return loop.waitsFor === 'auth' ? `ralph agents check ${shellWord(loop.agent)}` : `ralph loops resume ${id}`;
    case 'queued':
      return queuedNext(state);
    case 'merging':
      return 'ralph queue --watch';
    case 'ready':
      return loop.besides == null ? `ralph loops merge ${id}` : withBranch(loop);
    case 'merged':
      return loop.phase.at === 'landed' ? `git show ${loop.phase.commit.slice(0, COMMIT_DIGITS)}` : 'git log';
    case 'discarded':
      return 'ralph keep list';
    case 'stopped':
    case 'needs-review':
      if (loop.phase.at !== 'parked') return `ralph loops history ${id}`;
      return isTakenByAnother(state, loop) ? `ralph loops discard ${id}` : parkedNext(loop, loop.phase.reason);
  }
}

/** What goes on with this loop and begins nothing else. */
export function goOn({ id, task }: Loop): string {
  const word = shellWord(id);
  return isPromptTask(task) ? `ralph run --continue --loop-id ${word}` : `ralph loops resume ${word}`;
}

function wake(state: State, { host }: Loop): string {
  const pid = host === null ? undefined : state.hosts[host]?.mark.pid;
  return pid === undefined ? 'ralph status' : `kill -CONT ${pid}`;
}

function queuedNext(state: State): string {
  if (state.queuePaused) return 'ralph queue resume';
  const isLanded = Object.values(state.hosts).some((host) => host.state === 'up');
  return isLanded ? 'ralph queue --watch' : 'ralph loops process';
}

function parkedNext(loop: Loop, reason: ParkReason): string {
  const id = shellWord(loop.id);
  switch (reason) {
    case 'conflict':
    case 'red':
      // To land it once more as it is would end the same way; its agent can merge, but not in a person's checkout.
      return `ralph loops ${loop.place.at === 'worktree' ? 'resume' : 'retry'} ${id}`;
    case 'stopped':
    case 'iterations':
    case 'runtime':
    case 'budget':
    case 'no-progress':
    case 'failures':
    case 'broken':
      return `ralph loops resume ${id}`;
    case 'blocked':
      return `ralph loops logs ${id}`;
    case 'base-parked':
    case 'ejected':
      return `ralph loops merge ${id}`;
    // A person has to see what it did before it goes on.
    case 'protected':
    case 'too-large':
    case 'duplicate':
    case 'tampered':
      return `ralph loops diff ${id}`;
    case 'reset':
    case 'replaced':
      return `ralph loops discard ${id}`;
    case 'discarded':
      return 'ralph keep list';
  }
}
