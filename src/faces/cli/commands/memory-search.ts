import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { searchMemories } from '../../verbs/memories.ts';

export const handle = (call: Call) => searchMemories(placeOf(call), call.args);
