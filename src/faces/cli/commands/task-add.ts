import { loopAround } from '../../../world/loops/inside-loop.ts';
import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { proposeTask } from '../../verbs/report.ts';
import { addToFile } from '../run/edit-tasks.ts';

/** An agent proposes; a person adds. */
export const handle = async (call: Call) => {
  const place = placeOf(call);
  if (place.claim === null && loopAround(call.env, call.cwd) === null) return addToFile(call);
  return proposeTask(place, call.args, (call.flags['body'] as string | undefined) ?? '');
};
