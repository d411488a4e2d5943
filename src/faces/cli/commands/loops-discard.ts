import type { Loop, State } from '../../../core/model/model.ts';
import { ownsBranch } from '../../../core/model/place.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { discardLoop, isDiscarded } from '../../call/acts/discard.ts';
import type { DiscardDetails, Discarded } from '../../call/acts/discard.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { actOnEach, chosenLoops, requireChoice } from '../run/act-on-each.ts';
import type { OfEach } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { confirm } from '../show/confirm.ts';
import { filesText, restoreCommand } from '../show/keep-view.ts';

interface NotMeant {
  readonly changed: false;
}

export const handle: Handler<OfEach<Discarded | NotMeant>> = async (call) => {
  refuseInLoop(call, 'loops discard');
  requireChoice(call);
  const project = await openProject(call);
  const isOpen = (loop: Loop): boolean => loop.phase.at !== 'landed' && !isDiscarded(loop);
  const loops = (await chosenLoops(call, project, await readState(project.repo), isOpen)) ?? [];
  return actOnEach(
    call,
    loops.map(({ id }) => id),
    (id) => discardOne(call, project, id),
  );
};

async function discardOne(call: Call, project: Project, id: string): Promise<Answer<Discarded | NotMeant>> {
  const found = await discardLoop(project, id, {
    force: call.flags['force'] === true,
    isMeant: (state, loop) => confirm(call, question(state, loop), again(call, loop)),
  });
  if (found === null) return { data: { changed: false }, says: ['nothing changed'] };
  return {
    data: found.discarded,
    says: [...found.did.map((did) => call.out.style.yellow(`its agent ${did}`)), ...inWords(found)],
  };
}

const again = (call: Call, { id }: Loop): string =>
  `ralph loops discard ${shellWord(id)}${call.flags['force'] === true ? ' --force' : ''} -y`;

const question = (state: State, loop: Loop): string =>
  `Discard ${loop.id} (task ${taskIdOf(state, loop.task)}) with its ${loop.place.at === 'checkout' ? 'branch, if that was made for it' : 'worktree and branch'}? Its work is kept.`;

function inWords({ loop, kept, wasDone, isBranchGone, left }: DiscardDetails): readonly string[] {
  if (wasDone) return [`${loop.id} was discarded before`];
  const stays = `stays, because it is ${ownsBranch(loop) ? 'checked out or was moved' : 'yours'}`;
  const where = loop.place.at === 'checkout' ? 'your checkout stays as it is' : 'its worktree is gone';
  return [
    `discarded ${loop.id}: ${where}, its branch ${loop.branch} ${isBranchGone ? 'is gone' : stays}`,
    ...(kept === null
      ? ['  it had nothing to keep']
      : [
          `  kept as ${kept.id}: its commits, ${filesText(kept.files)}`,
          `to undo: ralph undo   as a branch: ${restoreCommand(kept.id)}`,
        ]),
    ...(left === null
      ? []
      : [`  still in your checkout: ${cleanLine(left.paths.join(', '))}`, `  to remove that: ${left.command}`]),
  ];
}
