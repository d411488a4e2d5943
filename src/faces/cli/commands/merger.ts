import { EXIT } from '../../../core/model/errors.ts';
import type { State } from '../../../core/model/model.ts';
import type { PullView } from '../../../core/views/pull-view.ts';
import { pullViews } from '../../../core/views/pull-view.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import type { Project } from '../../call/project.ts';
import { readState } from '../../call/project.ts';
import { rulesFor } from '../run/forge-for.ts';
import { drivePulls } from '../run/pull-host.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';

interface Merged {
  readonly merged: readonly PullView[];
  readonly waiting: readonly PullView[];
  readonly parked: readonly PullView[];
}

/** Merges what may be merged: proved on main as it is now, and read once more right before. */
export const handle: Handler<Merged> = async (call) => {
  refuseInLoop(call, 'merger');
  const project = await startProject(call);
  const { repo } = project;
  const before = await readState(repo);
  if (call.flags['dryRun'] === true) return wouldDo(project, before);
  const isFollowing = call.flags['watch'] === true;
  const opening = (): readonly [{ readonly type: 'pulls-asked' }] => [{ type: 'pulls-asked' }];
  const driven = await drivePulls(call, project, { isMerger: true, isFollowing, opening });
  const done = sorted(project, await readState(repo), before);
  const exit = driven.signal === 'SIGINT' ? EXIT.interrupted : done.parked.length > 0 ? EXIT.parked : EXIT.ok;
  return { data: done, text: lines(done), exit };
};

/** What the log says now; nothing is asked, and nothing changes. */
function wouldDo(project: Project, state: State): { data: Merged; text: string; says: readonly string[] } {
  const done = sorted(project, state, state);
  return { data: done, text: lines(done), says: ['by what was seen last; nothing was changed'] };
}

function sorted(project: Project, state: State, before: State): Merged {
  const rules = rulesFor(project);
  const forge = rules.forge === undefined ? {} : { forge: { ...rules.forge, merge: 'merger' as const } };
  const views = pullViews(state, { ...rules, ...forge });
  return {
    merged: views.filter((one) => one.state === 'merged' && before.loops[one.loop]?.phase.at !== 'landed'),
    waiting: views.filter((one) => ['open', 'opening', 'working'].includes(one.state)),
    parked: views.filter((one) => one.state === 'parked'),
  };
}

function lines({ merged, waiting, parked }: Merged): string {
  const said = (word: string, some: readonly PullView[]): string[][] =>
    some.map((one) => [
      word,
      `#${one.number ?? '-'}`,
      cleanLine(one.task),
      cleanLine(one.commit?.slice(0, 10) ?? one.waits),
    ]);
  return columns([...said('merged', merged), ...said('waits', waiting), ...said('parked', parked)]);
}
