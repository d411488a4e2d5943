import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event, IterationOutcome } from '../../core/events.ts';
import { findTask, taskIdOf } from '../../core/tasks.ts';
import type { Loop } from '../../core/model.ts';
import type { Task } from '../../core/task.ts';
import { claimsDone } from '../../text/agents/completion.ts';
import { leftoversMessage } from '../../text/commit-message.ts';
import { buildPrompt } from '../../text/prompt.ts';
import type { Iteration, IterationEnd, World } from '../../world/world.ts';
import type { PerformContext } from '../performer.ts';

type RunIteration = Extract<Command, { type: 'run-iteration' }>;

const SAID_CHARS_MAX = 2000;

/** One fresh agent process, from prompt to committed result. An iteration started before (by a host that died) is not started again, only finished. */
export async function runIteration(
  context: PerformContext,
  command: RunIteration,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { world, policy, force } = context;
  const state = context.state();
  const loop = state.loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} iterates without a worktree`);
  const task = findTask(state, loop.task);
  const iteration: Iteration = {
    loop: loop.id,
    task: taskIdOf(state, loop.task),
    n: command.n,
    slot: loop.slot,
    cwd: loop.worktree,
  };
  if (!world.agents.wasStarted(iteration)) {
    await world.clock.sleep(command.delayMs, signal);
    if (signal.aborted) return [];
    await world.agents.start(iteration, await promptFor(world, loop, task, context));
  }
  const finished = await world.agents.finish(iteration, {
    timeoutMs: command.timeoutMs,
    graceMs: policy.limits.graceMs,
    signal,
    force,
  });
  const facts = await world.worktrees.commitLeftovers({
    path: loop.worktree,
    branch: loop.branch,
    message: leftoversMessage(loop.title, loop.id, command.n),
  });
  const outcome = outcomeOf(finished.end, finished.finalText, context.completionPromise);
  const said = finished.finalText.slice(-SAID_CHARS_MAX);
  const exit = finished.end.how === 'exited' ? finished.end.code : null;
  return [
    {
      type: 'iteration-ended',
      loop: loop.id,
      fence: command.fence,
      n: command.n,
      outcome,
      head: facts.head,
      tree: facts.tree,
      said,
      exit,
      durationMs: finished.durationMs,
      swept: finished.swept,
      odd: facts.odd,
    },
  ];
}

function outcomeOf(end: IterationEnd, finalText: string, promise: string): IterationOutcome {
  switch (end.how) {
    case 'lost':
    case 'timed-out':
    case 'interrupted':
      return end.how;
    case 'exited':
      if (end.code !== 0) return 'failed';
      return claimsDone(finalText, promise) ? 'claimed' : 'worked';
  }
}

async function promptFor(world: World, loop: Loop, task: Task | null, context: PerformContext): Promise<string> {
  const done =
    loop.base === null || loop.head === null || loop.head === loop.base
      ? null
      : await world.integration.describe(loop.base, loop.head);
  return buildPrompt({
    task: {
      id: taskIdOf(context.state(), loop.task),
      title: loop.title,
      body: task?.body ?? '',
      acceptance: task?.acceptance ?? [],
    },
    iteration: loop.iteration + 1,
    earlier: done === null ? null : { commits: done.commits, stat: done.stat, said: loop.lastSaid },
    gateFailure:
      loop.lastGate?.verdict === 'red' ? { command: loop.lastGate.failing ?? '', tail: loop.lastGate.tail } : null,
    halfDone: loop.lastOdd,
    gates: context.gateCommands,
    promise: context.completionPromise,
  });
}
