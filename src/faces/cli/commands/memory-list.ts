import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { listMemories } from '../../verbs/memories.ts';

export const handle = (call: Call) => listMemories(placeOf(call));
