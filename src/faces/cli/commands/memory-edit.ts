import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { openMemories } from '../../../world/prompts/memories.ts';
import { changeMemory, removeMemory } from '../../verbs/edit-memories.ts';
import type { Call } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle = async (call: Call) => {
  refuseInLoop(call, 'memory edit');
  const memories = openMemories(findRepository(call.cwd));
  const [id = '', ...words] = call.args;
  const tags = (call.flags['tag'] ?? []) as readonly string[];
  if (call.flags['delete'] !== true) return changeMemory(memories, id, words, tags.length === 0 ? null : tags);
  if (words.length > 0)
    throw new AppError('E_USAGE', 'a memory is either changed or removed: give a text or --delete', {
      remedy: `ralph memory edit ${shellWord(id)} --delete`,
    });
  return removeMemory(memories, id);
};
