import type { Call } from '../../call/handler.ts';
import { placeOf } from '../../verbs/caller.ts';
import { addMemory } from '../../verbs/memories.ts';

export const handle = (call: Call) =>
  addMemory(placeOf(call), call.args, (call.flags['tag'] ?? []) as readonly string[]);
