import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { landedKeeps, letGo } from '../../../world/keep/expire.ts';
import { listKeeps } from '../../../world/keep/list-keeps.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { confirm } from '../show/confirm.ts';
import type { Handler } from '../../call/handler.ts';
import { filesText, findKeep } from '../show/keep-view.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { tellDropped } from '../run/settle-keeps.ts';

/** Lets go of one keep for good. A person says so: it may be the last name of work that never landed. */
interface Dropped {
  readonly id: string;
  readonly ref: string;
  readonly commit: string;
  /** False: a person thought better of it. */
  readonly dropped: boolean;
}

export const handle: Handler<Dropped> = async (call) => {
  refuseInLoop(call, 'keep drop');
  const { repo, config } = await openProject(call);
  const place = await openKeep(repo, config.settings);
  const keep = findKeep(await listKeeps(place.view), call.args[0] ?? '');
  const isLanded = (await landedKeeps(place.view, await readState(repo), [keep])).has(keep);
  const what = `${keep.id} (${filesText(keep.files)}, ${isLanded ? 'all of it is on main' : 'NOT on main'})`;
  const facts = { id: keep.id, ref: keep.ref, commit: keep.commit };
  if (!(await confirm(call, `delete ${what} for good?`, `ralph keep drop ${shellWord(keep.id)} -y`))) {
    return { data: { ...facts, dropped: false }, says: ['nothing was changed'] };
  }
  await tellDropped(repo, [keep]);
  await letGo(place, keep);
  const told = `deleted ${cleanLine(what)}; to get it back until git collects it: git branch NAME ${keep.commit.slice(0, 12)}`;
  return { data: { ...facts, dropped: true }, says: [told] };
};
