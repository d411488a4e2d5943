import type { HostPolicy, State } from '../../../core/model/model.ts';
import { findTask, taskIdOf } from '../../../core/model/tasks.ts';
import { describeWaiting } from '../../../core/views/describe-waiting.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { settingsInWords, sourceInWords } from './describe-sources.ts';
import type { Sources } from './describe-sources.ts';
import { columns } from '../../call/output.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { howMany } from '../../../core/model/describe-time.ts';

export interface RunPlan extends Sources {
  readonly slots: number;
  readonly agent: string | null;
  readonly fallback: readonly string[];
  readonly target: string;
  readonly merge_policy: string;
  readonly resume: readonly { readonly task: string; readonly loop: string; readonly slot: number }[];
  readonly start: readonly {
    readonly task: string;
    readonly slot: number;
    readonly onto: readonly string[];
    readonly agent?: string;
    readonly model?: string;
  }[];
  readonly waiting: readonly { readonly task: string; readonly kind: string; readonly why: string }[];
}

/** Prints what the scheduler would start. There is no world in here, so it cannot do anything. */
export function dryRun(call: Call, state: State, policy: HostPolicy, { tasks, settings }: Sources): Answer<RunPlan> {
  const plan = planRun(state, policy);
  const resume = plan.adopts.map(({ loop, slot }) => ({
    task: taskIdOf(state, state.loops[loop]?.task ?? ('' as never)),
    loop,
    slot,
  }));
  const start = plan.starts.map((one) => {
    const { agent, model } = findTask(state, one.task) ?? {};
    const own = { ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }) };
    return { task: taskIdOf(state, one.task), slot: one.slot, onto: one.onto, ...own };
  });
  const waiting = plan.waits.map(({ task, waiting: one }) => ({
    task: task.id,
    kind: one.why,
    why: describeWaiting(one),
  }));
  const data = {
    slots: policy.slots,
    agent: policy.agents[0]?.name ?? null,
    fallback: policy.agents.slice(1).map((agent) => agent.name),
    target: policy.target,
    merge_policy: policy.mergePolicy,
    tasks,
    settings,
    resume,
    start,
    waiting,
  };
  const rows = [
    ...resume.map((one) => ['resume', one.task, `slot ${one.slot}`, `loop ${one.loop}`]),
    ...start.map((one) => [
      'start',
      one.task,
      `slot ${one.slot}`,
      [
        one.onto.length === 0 ? `from ${policy.target}` : `from ${one.onto.join(', ')}`,
        ...(one.agent === undefined ? [] : [`agent ${one.agent}`]),
        ...(one.model === undefined ? [] : [`model ${one.model}`]),
      ].join(', '),
    ]),
    ...waiting.map((one) => ['wait', one.task, '-', one.why]),
  ];
  const says = [
    `tasks: ${sourceInWords(tasks)}`,
    settingsInWords(settings, policy.target),
    `${howMany(policy.slots, 'slot')}, agent ${policy.agents.map((agent) => agent.name).join(', then ')}, target ${policy.target}, merge policy ${policy.mergePolicy}; nothing was changed`,
  ];
  return { data, text: columns(rows, call.out.width), says: call.flags['json'] === true ? [] : says };
}
