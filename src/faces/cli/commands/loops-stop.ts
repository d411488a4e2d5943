import type { LoopStanding } from '../../../core/views/standing.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking, loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { stopLoops, whereOf } from '../../call/acts/stop.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import { chosenLoops } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface StoppedLoop extends LoopStanding {
  readonly loop: LoopId;
  readonly task: string;
  readonly branch: string;
}

/** Stops a loop, or all that work, and says so when it is true. */
export const handle: Handler<{ readonly stopped: readonly StoppedLoop[] }> = async (call) => {
  refuseInLoop(call, 'loops stop');
  const project = await openProject(call);
  const { repo, config } = project;
  const before = await readState(repo);
  const chosen = await chosenLoops(call, project, before, (loop) => isWorking(loop));
  const loops = chosen === null ? loopsOf(before).filter(isWorking) : chosen;
  if (chosen !== null) for (const loop of loops) refuseOver(repo, before, loop);
  const state = await stopLoops(repo, {
    loops,
    force: call.flags['force'] === true,
    graceMs: config.settings.limits.graceMs,
    onAsked: ({ id }) =>
      call.out.say(`${id} stops when its iteration ends. at once: ralph loops stop ${shellWord(id)} --force`),
  });
  const after = loops.map(({ id }) => state.loops[id]).filter((loop) => loop !== undefined);
  const stopped = after.map((loop) => {
    const { id, task, branch } = loop;
    return { loop: id, task: taskIdOf(state, task), branch, ...standing(state, loop) };
  });
  return { data: { stopped }, says: after.length === 0 ? ['no loop works'] : stopped.map(inWords) };
};

function refuseOver(repo: Repository, state: State, loop: Loop): void {
  const isStopped = standing(state, loop).state === 'stopped';
  if (!isStopped && livingTokens(repo, whereOf(loop)).length === 0) requireAct(state, loop, 'stop');
}

/** It may have come to another end before it could be stopped. */
const inWords = ({ loop, branch, ...stands }: StoppedLoop): string =>
  stands.state === 'stopped'
    ? `${loop} is stopped; its work is on ${branch}. to continue: ${stands.next}`
    : `${loop} does not work any more: it is ${cleanLine(describeStanding(stands))}`;
