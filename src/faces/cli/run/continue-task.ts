import type { LoopId } from '../../../core/model/ids.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import type { HostPolicy, Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { tasksRead } from '../../../core/plan/reconcile.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf, trackerOf } from '../../../core/model/tasks.ts';
import type { Filter } from '../../../core/model/task.ts';
import { invariant } from '../../../core/model/assert.ts';
import { openWorld } from '../../../world/real-world.ts';
import type { LoopStanding } from '../../../core/views/standing.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { driveHost } from './drive-host.ts';
import type { RunAnswer } from './finish-run.ts';
import { finishRun } from './finish-run.ts';
import type { Driven } from './drive-host.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { openTaskFile } from './open-task-file.ts';
import { readTracker } from '../../call/open-tasks.ts';
import { prepareRun } from './prepare-run.ts';
import type { Project } from '../../call/project.ts';
import { refuseAtLimit } from './refuse-at-limit.ts';
import { takeUpLost } from './start-project.ts';
import { warnAll } from '../show/warn-all.ts';

/** Goes on with loops of one task file, and with nothing else in that file. */
export async function continueTasks(
  call: Call,
  project: Project,
  state: State,
  loops: readonly Loop[],
): Promise<Answer<RunAnswer | Continued>> {
  const [loop] = loops;
  invariant(loop !== undefined, 'no loop to resume');
  const { repo, config } = project;
  const { settings } = config;
  const file = openTaskFile(call, {
    repo,
    settings,
    target: config.target?.branch ?? null,
    path: trackerOf(state, loop.task),
  });
  const read = await readTracker(file);
  const tracker = read.path;
  const { policy, identity, target, agents, warnings, forge } = await prepareRun(call, project, {
    settings,
    tracker,
    tasks: read.tasks,
  });
  refuseAtLimit(state, settings);
  warnAll(call, [...read.warnings, ...warnings]);
  await takeUpLost(project, { identity, target, tracker });
  const world = await openWorld({
    repo,
    identity,
    settings,
    agents,
    target,
    tracker: file,
    env: call.env,
    tell: (text) => call.out.say(text),
    forge,
  });
  const opening = (now: State): readonly Event[] => [
    ...tasksRead(now, read),
    ...loops.flatMap(({ id }) => (isHeld(now.loops[id]) ? [] : [{ type: 'loop-resumed', loop: id } as const])),
  ];
  const own: HostPolicy =
    loops.length === 1
      ? { ...policy, slots: 1, only: loop.id }
      : {
          ...policy,
          slots: Math.min(loops.length, policy.maxWorkers ?? 1),
          choice: loops.map((one) => ofTask(state, one)),
        };
  const driven = await driveHost(call, { world, policy: own, settings, opening });
  if (loops.length > 1) return finishRun(call, driven, own);
  return finish(call, driven.state.loops[loop.id] ?? loop, driven);
}

const ofTask = (state: State, loop: Loop): Filter => ({ key: 'id', sign: '=', value: taskIdOf(state, loop.task) });

const isHeld = (loop: Loop | undefined): boolean => loop === undefined || (isWorking(loop) && !loop.stopping);

export interface Continued extends LoopStanding {
  readonly loop: LoopId;
  readonly by: 'this';
  readonly branch: string;
  readonly exit: ExitCode;
}

function finish(call: Call, loop: Loop, { state, signal, over }: Driven): Answer<Continued> {
  const { phase } = loop;
  const stands = standing(state, loop);
  const exit =
    signal !== null
      ? signal === 'SIGINT'
        ? EXIT.interrupted
        : EXIT.terminated
      : phase.at === 'landed' || phase.at === 'ready' || (over !== null && isWorking(loop))
        ? EXIT.ok
        : EXIT.parked;
  call.out.say(`${loop.id} is ${cleanLine(describeStanding(stands))}`);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ralph loops resume ${shellWord(loop.id)}`);
  return { data: { loop: loop.id, by: 'this', ...stands, branch: loop.branch, exit }, exit };
}
