import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { showTask } from '../../verbs/show-task.ts';

export const handle = (call: Call) => showTask(call, placeOf(call), call.args[0] ?? null);
