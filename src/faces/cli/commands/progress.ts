import { placeOf, tell } from '../../verbs/answer.ts';
import { progress } from '../../verbs/report.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => tell(call, await progress(placeOf(call), call.args));
