import { placeOf, tell } from '../../verbs/answer.ts';
import { addMemory } from '../../verbs/memories.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) =>
  tell(call, await addMemory(placeOf(call), call.args, (call.flags['tag'] ?? []) as readonly string[]));
