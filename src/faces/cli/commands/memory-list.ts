import { placeOf, show } from '../../verbs/answer.ts';
import { listMemories } from '../../verbs/memories.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => {
  const answer = await listMemories(placeOf(call));
  if (answer.text === '') call.out.say('nothing is remembered yet; add something: ralph memory add TEXT');
  return show(call, answer);
};
