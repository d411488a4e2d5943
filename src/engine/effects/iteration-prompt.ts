import { redBase } from '../../core/loops/base.ts';
import { foreseenOf } from '../../core/views/foreseen.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { isGuard, GUARDS } from '../../core/loops/rework.ts';
import { findTask, isOver, taskIdOf, trackerOf } from '../../core/model/tasks.ts';
import { canWait } from '../../core/loops/waiting.ts';
import type { OtherTasks, BaseFailure, PromptFacts, Intent, ReworkFacts, ReworkRole } from '../../text/prompt/facts.ts';
import type { PromptContext } from './perform-context.ts';
import { unlessFlawed } from './flawed-head.ts';
import { othersTouched } from './others-touched.ts';
import type { LoopId } from '../../core/model/ids.ts';

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
    otherTasks: await otherTasksOf(context, loop),
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

const OPEN_MAX = 100;

/** What the rest of its list is about, and what has landed of it since its agent was asked last. */
async function otherTasksOf({ state, world }: PromptContext, loop: Loop): Promise<OtherTasks | null> {
  if (!canWait({ ...loop, guidance: [] })) return null;
  const now = state();
  const tracker = trackerOf(now, loop.task);
  const open = (now.trackers[tracker]?.tasks ?? [])
    .filter(({ id }) => taskKey(tracker, id) !== loop.task && !isOver(now, taskKey(tracker, id)))
    .slice(0, OPEN_MAX);
  const { shown, base } = loop;
  const isNews = shown !== undefined && base !== null && shown !== base;
  const landed = isNews ? await world.integration.describe(shown, base).catch(unlessFlawed) : null;
  return { open: open.map(({ id, title }) => ({ id, title })), landed };
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

/** What an agent has to know about work that did not fit: both intents, and what is still wrong. */
function reworkFacts(state: State, loop: Loop, target: string): ReworkFacts | null {
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
