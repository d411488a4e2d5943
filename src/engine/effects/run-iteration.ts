import { agentsFor, chooseAgent } from '../../core/loops/accounts.ts';
import { invariant } from '../../core/model/assert.ts';
import { isHeldBack } from '../../core/loops/base.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import { taskId } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { describeBreach } from '../../core/loops/loop.ts';
import { findTask, taskIdOf, tickOf } from '../../core/model/tasks.ts';
import { usedSince } from '../../core/model/grants.ts';
import { asUsage, NO_PROJECT_LIMITS, projectUse, reachedLimit } from '../../core/model/project-limits.ts';
import { dollarsLeft } from '../../core/model/usage.ts';
import { KNOWN_AGENTS } from '../../text/agents/known.ts';
import { judge } from '../../text/agents/verdict.ts';
import { leftoversMessage } from '../../text/commit-message.ts';
import type { AgentOrder, Iteration, IterationResult, Worktrees } from '../../world/contract/world.ts';
import { isPassing } from '../trouble/transient-errors.ts';
import type { PerformContext } from './perform-context.ts';
import { steerWhileRunning } from './steering.ts';
import { wantOf } from '../trouble/want.ts';
import { flawedEnd } from './flawed-head.ts';
import type { Left } from './flawed-head.ts';
import { promptFor } from './iteration-prompt.ts';

type RunIteration = Extract<Command, { type: 'run-iteration' }>;

const SAID_CHARS_MAX = 2000;
const HOLD_LOOK_MS = 1000;
const HOOK_SLIP = 'a hook took this repository for one of its own';

/** One fresh agent process, from prompt to committed result. An iteration started before (by a host that died) is not started again, only finished. */
export async function runIteration(
  context: PerformContext,
  command: RunIteration,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const loop = loopOf(context, command);
  const iteration: Iteration = {
    loop: loop.id,
    task: taskIdOf(context.state(), loop.task),
    n: command.n,
    slot: loop.slot,
    cwd: loop.worktree,
    inPlace: loop.place.at === 'checkout',
    ...(loop.place.folder === undefined ? {} : { folder: loop.place.folder }),
  };
  try {
    return await iterate(context, command, iteration, signal);
  } catch (error) {
    if (wantOf(error) === null && !isPassing(error)) await endAgent(context, command, iteration);
    throw error;
  }
}

/** This is not tried again: the loop is put aside, and nobody may go on working in its worktree. */
async function endAgent(context: PerformContext, command: RunIteration, iteration: Iteration): Promise<void> {
  const { world, policy, force, completion } = context;
  if (!world.agents.wasStarted(iteration) || !isWished(context, command)) return;
  const { timeoutMs } = command;
  const { graceMs } = policy.limits;
  // What went wrong first is told; this may well meet the same.
  await world.agents
    .finish(iteration, { timeoutMs, graceMs, signal: AbortSignal.abort(), force, completion })
    .catch(() => undefined);
}

async function iterate(
  context: PerformContext,
  command: RunIteration,
  iteration: Iteration,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { world, policy, force } = context;
  const loop = loopOf(context, command);
  let told = 0;
  if (!world.agents.wasStarted(iteration)) {
    const order = await awaitOrder(context, command, iteration, signal);
    if (order === null) return [];
    if ('released' in order)
      return [{ type: 'loop-released', loop: loop.id, fence: command.fence, why: order.released }];
    await world.agents.start(iteration, order);
    told = order.guided;
  }
  // What an adopted iteration was told stands in its run folder, and is not said again.
  const steering = steerWhileRunning(context, iteration, told);
  const finished = await world.agents
    .finish(iteration, {
      timeoutMs: command.timeoutMs,
      graceMs: policy.limits.graceMs,
      signal,
      force,
      completion: context.completion,
    })
    .finally(steering.stop);
  const found = await world.seal.check(iteration, loop.branch);
  const left = {
    path: loop.worktree,
    branch: loop.branch,
    message: leftoversMessage(loop.title, loop.id, command.n),
  };
  const facts: Left = await (
    iteration.inPlace === true
      ? world.checkout.commit({ ...left, loop: loop.id })
      : world.worktrees.commitLeftovers({ ...left, base: loop.base, task: tickedBy(context, loop) })
  ).catch((error: unknown) => flawedEnd(context, loop, error));
  const { head, tree, odd, yours, dropped, omitted, ignored } = facts;
  const from = loop.head ?? loop.base;
  if (from !== null && head !== from) await world.agents.noteCommits(iteration, from, head);
  const apart = {
    ...(yours === undefined ? {} : { yours }),
    ...(dropped === undefined ? {} : { dropped }),
    ...(omitted === undefined ? {} : { omitted }),
    ...(ignored === undefined ? {} : { ignored }),
  };
  const ended = { ...endedEvent(context, command, finished), head, tree, odd, ...apart };
  // What a hook of the user's did by mistake, and is put back, is no reason to put the work aside.
  return found?.isHooks === true
    ? [{ ...ended, breach: null, hookSlip: `${HOOK_SLIP}: ${describeBreach(found)}` }]
    : [{ ...ended, breach: found }];
}

function loopOf(context: PerformContext, command: RunIteration): Loop & { readonly worktree: string } {
  const loop = context.state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} iterates without a worktree`);
  return { ...loop, worktree: loop.worktree };
}

/** What landing it would tick. */
function tickedBy({ state }: PerformContext, loop: Loop): Parameters<Worktrees['commitLeftovers']>[0]['task'] {
  const { tick, tracker } = tickOf(state(), loop);
  return tick === null ? null : { id: tick, tracker };
}

interface Released {
  readonly released: 'auth' | 'budget' | 'limit' | 'base' | 'time' | 'stopped';
}

/** Waits as long as it was told, and while every agent is held back or the disk has no room; null: told to stop. */
async function awaitOrder(
  context: PerformContext,
  command: RunIteration,
  iteration: Iteration,
  signal: AbortSignal,
): Promise<AgentOrder | Released | null> {
  const { clock } = context.world;
  const fromMs = clock.awakeMs() + command.delayMs;
  for (;;) {
    if (signal.aborted || !isWished(context, command)) return null;
    if (loopOf(context, command).stopping) return { released: 'stopped' };
    if (isEnding(context, command)) return { released: 'time' };
    const earlyMs = fromMs - clock.awakeMs();
    if (earlyMs > 0) {
      await clock.sleep(Math.min(earlyMs, HOLD_LOOK_MS), signal);
      continue;
    }
    const agent = freeAgent(context, command);
    if (typeof agent === 'object') return agent;
    if (agent === null) {
      await clock.sleep(HOLD_LOOK_MS, signal);
      continue;
    }
    const loop = loopOf(context, command);
    const order = await orderFor(context, loop, agent);
    await context.world.seal.take(iteration, loop.branch);
    // While its prompt was made, another loop may have met a limit.
    if (!signal.aborted && isWished(context, command) && freeAgent(context, command) === agent) return order;
  }
}

function isEnding({ state }: PerformContext, command: RunIteration): boolean {
  const host = state().loops[command.loop]?.host ?? null;
  return host !== null && state().hosts[host]?.isEnding === true;
}

/** Who may work now; null: nobody yet. */
function freeAgent(context: PerformContext, command: RunIteration): string | Released | null {
  if (context.state().run.overspent !== null) return { released: 'budget' };
  if (reachedLimit(context.state(), context.policy.project) !== null) return { released: 'limit' };
  if (isHeldBack(context.state(), context.policy, loopOf(context, command))) return { released: 'base' };
  if (context.state().disk !== null) return null;
  const choice = chooseAgent(context.state(), agentsFor(context.state(), context.policy, loopOf(context, command)));
  if (choice.kind === 'wait') return null;
  return choice.kind === 'go' ? choice.agent.name : { released: 'auth' };
}

/** A wait may have outlasted the wish: the worktree was lost, the task reset. */
function isWished(context: PerformContext, { loop: id, fence, n }: RunIteration): boolean {
  const loop = context.state().loops[id];
  return loop?.fence === fence && loop.phase.at === 'iterating' && loop.phase.n === n;
}

async function orderFor(context: PerformContext, loop: Loop, agent: string): Promise<AgentOrder> {
  const { policy } = context;
  const { project = NO_PROJECT_LIMITS } = policy;
  const { run } = context.state();
  const budgetUsd = dollarsLeft([
    { usage: usedSince(loop), budget: policy.limits },
    { usage: run.usage, budget: policy.budget },
    { usage: asUsage(projectUse(context.state(), project.per)), budget: project },
  ]);
  const guided = Math.max(0, ...loop.guidance.map((one) => one.id));
  const model = findTask(context.state(), loop.task)?.model ?? null;
  return { agent, model, prompt: await promptFor(context, loop), budgetUsd, guided };
}

type Ended = Extract<Event, { type: 'iteration-ended' }>;

function endedEvent(
  context: PerformContext,
  command: RunIteration,
  finished: IterationResult,
): Omit<Ended, 'head' | 'tree' | 'odd' | 'breach'> {
  const { end, report } = finished;
  const { outcome, failure, hold, lacks } = judge({ end, report, ...context.completion });
  return {
    type: 'iteration-ended',
    loop: command.loop,
    fence: command.fence,
    n: command.n,
    outcome,
    said: report.finalText.slice(-SAID_CHARS_MAX),
    exit: end.how === 'exited' ? end.code : null,
    agent: finished.agent,
    account: finished.account,
    usage: report.usage,
    failure,
    hold: hold?.kind === 'auth' ? { ...hold, detail: withLogin(hold.detail, finished.agent) } : hold,
    guided: finished.guided,
    durationMs: finished.durationMs,
    swept: finished.swept,
    ...(lacks === undefined ? {} : { lacks: lacks.map(taskId) }),
  };
}

/** Only a person can log in, so they are told how. */
function withLogin(detail: string, agent: string): string {
  const login = KNOWN_AGENTS.get(agent)?.login;
  return login === undefined ? detail : `${detail}; log in with: ${login}`;
}
