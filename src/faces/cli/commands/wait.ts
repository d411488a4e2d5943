import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { wait } from '../../verbs/report.ts';

export const handle = (call: Call) => wait(placeOf(call), call.args);
