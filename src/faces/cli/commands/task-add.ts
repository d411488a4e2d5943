import { placeOf, tell } from '../../verbs/answer.ts';
import { proposeTask } from '../../verbs/report.ts';
import type { Handler } from '../handler.ts';

export const handle: Handler = async (call) =>
  tell(call, await proposeTask(placeOf(call), call.args, (call.flags['body'] as string | undefined) ?? ''));
