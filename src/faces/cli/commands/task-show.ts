import { placeOf, show } from '../../verbs/answer.ts';
import { showTask } from '../../verbs/show-task.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => show(call, await showTask(call, placeOf(call), call.args[0] ?? null));
