import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { done } from '../../verbs/report.ts';

export const handle = (call: Call) => done(placeOf(call), call.args);
