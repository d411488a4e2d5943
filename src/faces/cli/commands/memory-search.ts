import { placeOf, show } from '../../verbs/answer.ts';
import { searchMemories } from '../../verbs/memories.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) => {
  const answer = await searchMemories(placeOf(call), call.args);
  if (answer.text === '') call.out.say('no memory holds these words; all of them: ralph memory list');
  return show(call, answer);
};
