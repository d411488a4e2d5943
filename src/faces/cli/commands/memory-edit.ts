import { resolve } from 'node:path';
import { AppError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/remedy.ts';
import { findRepository } from '../../../world/git/repository.ts';
import { openMemories } from '../../../world/memories.ts';
import type { Memories } from '../../../world/memories.ts';
import { editCopy } from '../../../world/memory/edit-copy.ts';
import type { Answer } from '../../verbs/answer.ts';
import { tell } from '../../verbs/answer.ts';
import { applyMemories, changeMemory, readGiven, removeMemory } from '../../verbs/edit-memories.ts';
import type { Call, Handler } from '../handler.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';

const USAGE = 'ralph memory edit ID "what it should say"';

export const handle: Handler = async (call) => {
  refuseInLoop(call, 'memory edit');
  const memories = openMemories(findRepository(call.cwd), (text) => call.out.say(text));
  return tell(call, await answerOf(call, memories));
};

async function answerOf(call: Call, memories: Memories): Promise<Answer> {
  const [id, ...words] = call.args;
  const given = (call.flags['tag'] ?? []) as readonly string[];
  const tags = given.length === 0 ? null : given;
  const file = call.flags['file'];
  const isRemoval = call.flags['delete'] === true;
  if ((isRemoval && (id === undefined || words.length > 0)) || (file !== undefined && (id !== undefined || isRemoval)))
    throw new AppError(
      'E_USAGE',
      'this is half of one thing and half of another: either ID and text, or ID and --delete, or --file',
      {
        remedy: id === undefined ? 'ralph memory list' : `ralph memory edit ${shellWord(id)} --delete`,
      },
    );
  if (typeof file === 'string') {
    const path = resolve(call.cwd, file);
    return applyMemories(memories, readGiven(path), path);
  }
  if (id === undefined) return editAll(call, memories);
  return isRemoval ? removeMemory(memories, id) : changeMemory(memories, id, words, tags);
}

async function editAll(call: Call, memories: Memories): Promise<Answer> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new AppError('E_USAGE', 'there is no terminal to open an editor on', {
      facts: ['or change .ralph/memories.md: the next command takes it up'],
      remedy: USAGE,
    });
  const copy = await editCopy(memories.page(), call.env);
  const answer = applyMemories(memories, copy.text, copy.file);
  copy.remove();
  return answer;
}
