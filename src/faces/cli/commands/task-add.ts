import { placeOf, tell } from '../../verbs/answer.ts';
import { proposeTask } from '../../verbs/report.ts';
import { addToFile } from '../run/edit-tasks.ts';
import type { Handler } from '../../call/handler.ts';
import { loopAround } from '../../../world/loops/inside-loop.ts';

/** An agent proposes; a person adds. */
export const handle: Handler = async (call) => {
  const place = placeOf(call);
  if (place.claim === null && loopAround(call.env, call.cwd) === null) return addToFile(call);
  return tell(call, await proposeTask(place, call.args, (call.flags['body'] as string | undefined) ?? ''));
};
