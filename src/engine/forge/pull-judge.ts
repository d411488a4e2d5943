import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import { findTask, taskIdOf } from '../../core/model/tasks.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { judge } from '../../text/agents/verdict.ts';
import { judgePrompt, readJudgement } from '../../text/forge/judgement.ts';
import type { Judgement } from '../../text/forge/judgement.ts';
import type { Iteration } from '../../world/contract/world.ts';
import { loopOf, mainNow, targetOf } from './pull-context.ts';
import type { PullContext, Pulled } from './pull-context.ts';

type Judge = Extract<PullWish, { readonly do: 'judge' }>;

const REVIEW_MS_MAX = 30 * 60_000;
/** Beyond every iteration of a loop: what a reviewer says is kept beside them. */
const FIRST_REVIEW = 10_000;

/** Has an agent look at a head; only its plain word is an approval. */
export async function judgePull(context: PullContext, { loop: id, head }: Judge): Promise<readonly Event[]> {
  const loop = loopOf(context, id);
  const base = await mainNow(context);
  if (base === null) return [];
  const { world, signal } = context;
  const judged = await world.gates.withWorktree(head, (path) => ask(context, loop, { path, head, base }), signal);
  // Told to stop: the next host has it looked at again.
  if (judged === null) return [];
  const event: Event = { type: 'pull-judged', loop: id, head, ...judged };
  if (judged.verdict !== 'changes') return [event];
  const rounds = context.policy.forge?.rounds ?? 0;
  if (loop.pull.rounds >= rounds) {
    const detail = `it went back ${rounds} times, and its reviewer still wants changes`;
    return [event, { type: 'pull-parked', loop: id, head: null, why: 'rounds', detail }];
  }
  const comments = [{ text: `the reviewing agent: ${judged.said}` }];
  return [
    event,
    { type: 'pull-heard', loop: id, comments: [] },
    { type: 'loop-reviewed', loop: id, head, verdict: 'changes', comments },
  ];
}

async function ask(
  context: PullContext,
  loop: Pulled,
  { path, head, base }: { readonly path: string; readonly head: Sha; readonly base: Sha },
): Promise<Judgement | null> {
  const { world, policy, signal, force } = context;
  const agent = policy.forge?.reviewer;
  if (agent === undefined) return null;
  const task = taskIdOf(context.state(), loop.task);
  const n = FIRST_REVIEW + Object.keys(loop.pull.judged ?? {}).length;
  const iteration: Iteration = { loop: loop.id, task, n, slot: loop.slot, cwd: path };
  const facts = findTask(context.state(), loop.task);
  const prompt = judgePrompt(
    {
      task,
      title: loop.title,
      body: facts === null || facts.body.trim() === loop.title ? '' : facts.body,
      acceptance: facts?.acceptance ?? [],
      target: targetOf(context, loop),
      base,
      head,
    },
    world.prompts.reviewer(task),
  );
  await world.seal.take(iteration, loop.branch);
  if (!world.agents.wasStarted(iteration))
    await world.agents.start(iteration, { agent, prompt, budgetUsd: null, guided: 0 });
  const { graceMs } = policy.limits;
  const ended = await world.agents.finish(iteration, {
    timeoutMs: REVIEW_MS_MAX,
    graceMs,
    signal,
    force,
    completion: null,
  });
  const breach = await world.seal.check(iteration, loop.branch);
  if (signal.aborted || force.aborted) return null;
  const { failure } = judge({ end: ended.end, report: ended.report, signal: 'promise', promise: '' });
  if (breach !== null) return { verdict: 'silent', said: 'it changed what is outside of its folder' };
  if (ended.end.how !== 'exited' || failure !== null)
    return { verdict: 'silent', said: failure?.message ?? `it ${ended.end.how}` };
  return readJudgement(ended.report.finalText);
}
