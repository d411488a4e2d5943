import type { Call, Answer } from '../../call/handler.ts';
import { placeOf, callerRepository, checkCaller } from '../../verbs/caller.ts';
import { AppError } from '../../../core/model/errors.ts';
import { taskId, taskKey } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import type { LoopStanding, TaskState } from '../../../core/views/standing.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import { taskViews } from '../../../core/views/view.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import { findOne } from '../../call/find-one.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import type { CallerPlace } from '../../verbs/caller.ts';

export const handle = (call: Call) => showTask(call, placeOf(call), call.args[0] ?? null);

interface Sight {
  readonly state: State;
  readonly tracker: string;
  readonly id: string;
  readonly attemptsMax?: number;
}

/** One task as the tracker tells it and what its newest loop says; inside a loop its own, unless another is named. */
async function showTask(call: Call, place: CallerPlace, wanted: string | null): Promise<Answer<TaskData>> {
  const sight = place.claim === null ? await askedByPerson(call, wanted) : await askedInLoop(place, wanted);
  const { state, tracker, attemptsMax } = sight;
  const view = findOne(
    taskViews(state, tracker, attemptsMax),
    (task) => [task.id],
    sight.id,
    'task',
    'ralph tasks list',
  );
  const task = state.trackers[tracker]?.tasks.find((one) => one.id === view.id);
  const loop = newestLoops(state).get(taskKey(tracker, taskId(view.id))) ?? null;
  const data = {
    task: view.id,
    title: view.title,
    state: view.state,
    reason: view.reason,
    why: view.why,
    tracker,
    line: view.line,
    group: view.group,
    depends_on: view.depends_on,
    body: task?.body ?? '',
    acceptance: task?.acceptance ?? [],
    loop: loop === null ? null : loopData(state, loop),
  };
  return { text: textOf(data), data };
}

function loopData(state: State, loop: Loop): LoopData {
  return {
    id: loop.id,
    branch: loop.branch,
    iteration: loop.iteration,
    ...standing(state, loop),
    progress: loop.progress,
    blocked: loop.blockedWhy,
    guidance: loop.guidance.map(({ text }) => text),
    red_gate: loop.lastGate?.verdict === 'red' ? { command: loop.lastGate.failing, tail: loop.lastGate.tail } : null,
  };
}

interface LoopData extends LoopStanding {
  readonly id: string;
  readonly branch: string;
  readonly iteration: number;
  readonly progress: string | null;
  readonly blocked: string | null;
  readonly guidance: readonly string[];
  readonly red_gate: { readonly command: string | null; readonly tail: string } | null;
}

interface TaskData {
  readonly task: string;
  readonly title: string;
  readonly state: TaskState;
  readonly reason: string | null;
  readonly why: string;
  readonly tracker: string;
  readonly line: number;
  readonly group: string | null;
  readonly depends_on: readonly string[];
  readonly body: string;
  readonly acceptance: readonly string[];
  readonly loop: LoopData | null;
}

function textOf(data: TaskData): string {
  const { loop } = data;
  const lines = [
    `${data.task}: ${cleanLine(data.title)}`,
    `state: ${cleanLine(describeStanding(data))}`,
    ...(data.group === null ? [] : [`group: ${cleanLine(data.group)}`]),
    ...(data.depends_on.length === 0 ? [] : [`after: ${data.depends_on.join(', ')}`]),
    ...(data.body === '' ? [] : ['', cleanText(data.body)]),
    ...data.acceptance.map((line) => `- ${cleanText(line)}`),
    ...(loop === null ? [] : ['', `loop ${loop.id} on ${loop.branch}: ${cleanLine(loop.why)}`]),
    ...(loop?.progress == null ? [] : [`progress: ${cleanLine(loop.progress)}`]),
    ...(loop?.blocked == null ? [] : [`blocked: ${cleanLine(loop.blocked)}`]),
    ...(loop?.guidance ?? []).map((text) => `a person says: ${cleanText(text)}`),
    ...(loop?.red_gate == null ? [] : [`$ ${cleanLine(loop.red_gate.command ?? '')}`, cleanText(loop.red_gate.tail)]),
  ];
  return lines.join('\n');
}

async function askedByPerson(call: Call, wanted: string | null): Promise<Sight> {
  if (wanted === null)
    throw new AppError('E_NO_LOOP', 'outside a loop, say which task to show', { remedy: 'ralph tasks list' });
  const project = await openProject(call);
  const attemptsMax = project.config.settings.limits.attempts;
  return { ...(await openTasks(project, await readState(project.repo))), id: wanted, attemptsMax };
}

/** An agent is shown its task as it was read last: its own checkout of the tracker may be older, or changed by itself. */
async function askedInLoop(place: CallerPlace, wanted: string | null): Promise<Sight> {
  const repo = callerRepository(place);
  const state = await readState(repo);
  const { loop } = checkCaller(repo, state, place.claim ?? { loop: '', iteration: '', token: '' });
  const own = taskIdOf(state, loop.task);
  return { state, tracker: loop.task.slice(0, loop.task.length - own.length - 1), id: wanted ?? own };
}
