import { redBase } from '../../core/loops/base.ts';
import { foreseenOf } from '../../core/views/foreseen.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { isGuard } from '../../core/loops/rework.ts';
import { findTask, taskIdOf } from '../../core/model/tasks.ts';
import type { BaseFailure, PromptFacts } from '../../text/prompt/facts.ts';
import type { PromptContext } from './perform-context.ts';
import { unlessFlawed } from './flawed-head.ts';
import { othersTouched } from './others-touched.ts';
import { reworkFacts } from './rework-facts.ts';

/** What the agent is told at the start of an iteration. */
export async function promptFor(context: PromptContext, loop: Loop): Promise<string> {
  const state = context.state();
  const task = findTask(state, loop.task);
  const done =
    loop.base === null || loop.head === null || loop.head === loop.base
      ? null
      : await context.world.integration.describe(loop.base, loop.head).catch(unlessFlawed);
  const facts: Omit<PromptFacts, 'memories'> = {
    task: {
      id: taskIdOf(state, loop.task),
      title: loop.title,
      // A short prompt is its own title.
      body: task === null || task.body.trim() === loop.title ? '' : task.body,
      acceptance: task?.acceptance ?? [],
    },
    iteration: loop.iteration + 1,
    inPlace: loop.place.at === 'checkout',
    dependencies: dependenciesOf(context, loop),
    earlier: done === null ? null : { commits: done.commits, stat: done.stat, said: loop.lastSaid },
    gateFailure: gateFailure(loop),
    baseFailure: baseFailure(context),
    rework: reworkFacts(state, loop, context.policy.target),
    foreseen: foreseenOf(state, loop),
    halfDone: loop.lastOdd,
    hookSlip: loop.hookSlip ?? null,
    dropped: loop.dropped ?? null,
    omitted: loop.omitted ?? null,
    setupFailed: loop.setupFailed ?? null,
    lastFailure: loop.lastFailure?.message ?? null,
    guidance: untoldElsewhere(loop),
    others: await othersTouched(context, loop),
    gates: context.gateCommands,
    ...context.completion,
  };
  return context.world.prompts.build(facts);
}

/** What a review asks for is told with the work that came back, in every iteration until that is ready. */
function untoldElsewhere({ guidance, rework }: Loop): readonly string[] {
  const asked = new Set(rework?.asked);
  return guidance.map(({ text }) => text).filter((text) => !asked.has(text));
}

/** A guard is no command of the user's: what it found is told with the conflict. */
function gateFailure({ lastGate }: Loop): PromptFacts['gateFailure'] {
  if (lastGate?.verdict !== 'red' || isGuard(lastGate.failing)) return null;
  return { command: lastGate.failing ?? '', tail: lastGate.tail };
}

function baseFailure({ state, policy }: PromptContext): BaseFailure | null {
  const red = redBase(state(), policy);
  if (red === null) return null;
  const { failing, tail } = red.report;
  return { target: policy.target, command: failing ?? '', tail, likely: red.likely };
}

function dependenciesOf({ state, policy }: PromptContext, loop: Loop): PromptFacts['dependencies'] {
  return (findTask(state(), loop.task)?.deps ?? []).flatMap((dep) => {
    const key = taskKey(policy.tracker, dep);
    const landed = state().landed[key];
    return landed == null ? [] : [{ id: dep, title: findTask(state(), key)?.title ?? '', commit: landed.commit }];
  });
}
