import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { block } from '../../verbs/report.ts';

export const handle = (call: Call) => block(placeOf(call), call.args);
