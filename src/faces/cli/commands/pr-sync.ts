import type { PullView } from '../../../core/views/pull-view.ts';
import { pullViews } from '../../../core/views/pull-view.ts';
import type { State } from '../../../core/model/model.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import type { Project } from '../../call/project.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { rulesFor } from '../run/forge-for.ts';
import { drivePulls } from '../run/pull-host.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';
import { row } from './pr-list.ts';

/** One round: what people and checks said is read, and what that asks for is done or written down. */
export const handle: Handler<{ readonly pulls: readonly PullView[] }> = async (call) => {
  refuseInLoop(call, 'pr sync');
  const project = await startProject(call);
  const { repo } = project;
  const isAsked = await askHolder(project);
  if (!isAsked) await drivePulls(call, project, { isMerger: false, isFollowing: false, opening: () => [] });
  return answerPulls(call, project, await readState(repo), isAsked ? ['the run that is under way looks now'] : []);
};

/** A host that has the forge looks for us. False: there is none. */
export async function askHolder({ repo }: Project): Promise<boolean> {
  let isHeld = false;
  await writeFacts(repo, async (state) => {
    const holder = state.forge?.host ?? null;
    isHeld = holder !== null && Object.values(state.hosts).some((host) => host.id === holder && host.state === 'up');
    return isHeld ? [{ type: 'pulls-asked' }] : [];
  });
  return isHeld;
}

/** What is open by now, and the command that starts agents where work came back. */
export function answerPulls(
  _call: Call,
  project: Project,
  state: State,
  says: readonly string[],
): { readonly data: { readonly pulls: readonly PullView[] }; readonly text: string; readonly says: readonly string[] } {
  const pulls = pullViews(state, rulesFor(project)).filter((one) => one.state !== 'merged');
  const isBack = pulls.some((one) => one.state === 'working');
  const next = isBack ? ['work came back; its agents start with: ralph run'] : [];
  const none = pulls.length === 0 ? ['no pull request is open'] : [];
  return { data: { pulls }, text: columns(pulls.map(row)), says: [...says, ...none, ...next] };
}
