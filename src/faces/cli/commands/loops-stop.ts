import { EXIT } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking, loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import { chosenLoops } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { stopLoops, whereOf } from '../run/stop-loops.ts';

/** Stops a loop, or all that work, and says so when it is true. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops stop');
  const project = await openProject(call);
  const { repo, config } = project;
  const before = await readState(repo);
  const chosen = await chosenLoops(call, project, before, (loop) => isWorking(loop));
  const loops =
    chosen === null ? loopsOf(before).filter(isWorking) : chosen.map((loop) => unlessOver(repo, before, loop));
  const force = call.flags['force'] === true;
  const state = await stopLoops(repo, {
    loops,
    force,
    graceMs: config.settings.limits.graceMs,
    onAsked: (loop) => call.out.say(`${loop.id} stops when its iteration ends. at once: ${again(loop)}`),
  });
  const after = loops.map(({ id }) => state.loops[id]).filter((loop) => loop !== undefined);
  if (call.flags['json'] === true) call.out.json({ version: 1, stopped: after.map((loop) => describe(state, loop)) });
  else if (after.length === 0) call.out.say('no loop works');
  for (const loop of after) say(call, state, loop);
  return EXIT.ok;
};

function unlessOver(repo: Repository, state: State, loop: Loop): Loop {
  if (!isStopped(loop) && livingTokens(repo, whereOf(loop)).length === 0) requireAct(state, loop, 'stop');
  return loop;
}

const isStopped = ({ phase }: Loop): boolean => phase.at === 'parked' && phase.reason === 'stopped';

const again = ({ id }: Loop): string => `ralph loops stop ${shellWord(id)} --force`;

function describe(state: State, loop: Loop): object {
  return { loop: loop.id, task: taskIdOf(state, loop.task), branch: loop.branch, ...standing(state, loop) };
}

/** It may have come to another end before it could be stopped. */
function say({ out }: Call, state: State, loop: Loop): void {
  const stands = standing(state, loop);
  if (isStopped(loop)) out.say(`${loop.id} is stopped; its work is on ${loop.branch}. to go on: ${stands.next}`);
  else out.say(`${loop.id} does not work any more: it is ${cleanLine(describeStanding(stands))}`);
}
