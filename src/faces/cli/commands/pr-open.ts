import { AppError } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { PullView } from '../../../core/views/pull-view.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import { branchTip } from '../../../world/worktrees/worktrees.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Project } from '../../call/project.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { drivePulls } from '../run/pull-host.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';
import { answerPulls, askHolder } from './pr-sync.ts';

/** Makes a pull request of a loop's work, or pushes to the one there is. */
export const handle: Handler<{ readonly pulls: readonly PullView[] }> = async (call) => {
  refuseInLoop(call, 'pr open');
  return openPulls(call, await startProject(call));
};

/** The same for `ralph land` where work is delivered by pull request. */
export async function openPulls(call: Call, project: Project): Promise<ReturnType<typeof answerPulls>> {
  const { repo } = project;
  for (const name of call.args) {
    const { id } = findLoop(await readState(repo), name);
    await writeFacts(repo, async (state) => {
      const loop = state.loops[id];
      if (loop === undefined || loop.phase.at === 'reviewing') return [];
      refuseUnfit(state, loop);
      const head = (await branchTip(repo, loop.branch)) ?? loop.head;
      return head === null ? [] : [{ type: 'pull-asked', loop: id, head }];
    });
  }
  const isAsked = await askHolder(project);
  if (!isAsked) await drivePulls(call, project, { isMerger: false, isFollowing: false, opening: () => [] });
  return answerPulls(call, project, await readState(repo), isAsked ? ['the run that is under way opens it'] : []);
}

function refuseUnfit(state: State, loop: Loop): void {
  const id = shellWord(loop.id);
  if (isWorking(loop)) throw new AppError('E_BUSY', `loop ${id} still works`, { remedy: `ralph loops stop ${id}` });
  const { phase } = loop;
  const isOver = phase.at === 'landed' || (phase.at === 'parked' && ['discarded', 'tampered'].includes(phase.reason));
  if (isOver)
    throw new AppError(
      'E_LOOP_ENDED',
      `loop ${id} is nothing to open a pull request for: ${describeStanding(standing(state, loop))}`,
      {
        remedy: `ralph loops diff ${id}`,
      },
    );
}
