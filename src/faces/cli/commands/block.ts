import { placeOf, tell } from '../../verbs/answer.ts';
import { block } from '../../verbs/report.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => tell(call, await block(placeOf(call), call.args));
