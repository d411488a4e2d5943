import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { openMemories } from '../../../world/prompts/memories.ts';
import type { Call, Answer } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import type { Memories, Memory } from '../../../world/prompts/memories.ts';
import { findOne } from '../../call/find-one.ts';
import { cutNotice, saidText } from '../../call/said-text.ts';

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

interface Edited {
  readonly id: string;
  /** What it says now; null: it is gone. */
  readonly text: string | null;
  readonly removed: boolean;
  readonly before: string;
}

const LIST = 'ralph memory list';

/** Another text for one memory, or other tags, or both. */
function changeMemory(
  memories: Memories,
  id: string,
  words: readonly string[],
  tags: readonly string[] | null,
): Answer<Edited> {
  const before = findMemory(memories, id);
  const said =
    words.length === 0 && tags !== null
      ? { text: before.text, cutFrom: null }
      : saidText(words, 'the memory', `ralph memory edit ${shellWord(id)} "what it should say"`);
  memories.change({ ...before, text: said.text, tags: tags ?? before.tags });
  return {
    says: [`${before.id} changed${cutNotice(said)}`],
    data: { id: before.id, text: said.text, removed: false, before: before.text },
  };
}

function removeMemory(memories: Memories, id: string): Answer<Edited> {
  const before = findMemory(memories, id);
  memories.remove(before.id);
  return { says: [`${before.id} removed`], data: { id: before.id, text: null, removed: true, before: before.text } };
}

const findMemory = (memories: Memories, id: string): Memory =>
  findOne(memories.list(), (memory) => [memory.id, memory.text], id, 'memory', LIST);
