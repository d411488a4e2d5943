import { placeOf, tell } from '../../verbs/answer.ts';
import { done } from '../../verbs/report.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => tell(call, await done(placeOf(call), call.args));
