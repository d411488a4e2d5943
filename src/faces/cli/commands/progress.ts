import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { progress } from '../../verbs/report.ts';

export const handle = (call: Call) => progress(placeOf(call), call.args);
