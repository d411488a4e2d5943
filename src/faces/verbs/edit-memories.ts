import { shellWord } from '../../core/model/shell-word.ts';
import type { Memories, Memory } from '../../world/prompts/memories.ts';
import { findOne } from '../call/find-one.ts';
import type { Answer } from './answer.ts';
import { cutNotice, saidText } from './said-text.ts';

const LIST = 'ralph memory list';

/** Another text for one memory, or other tags, or both. */
export function changeMemory(
  memories: Memories,
  id: string,
  words: readonly string[],
  tags: readonly string[] | null,
): Answer {
  const before = findMemory(memories, id);
  const said =
    words.length === 0 && tags !== null
      ? { text: before.text, cutFrom: null }
      : saidText(words, 'the memory', `ralph memory edit ${shellWord(id)} "what it should say"`);
  memories.change({ ...before, text: said.text, tags: tags ?? before.tags });
  return {
    text: `${before.id} changed${cutNotice(said)}`,
    data: { id: before.id, text: said.text, before: before.text },
  };
}

export function removeMemory(memories: Memories, id: string): Answer {
  const before = findMemory(memories, id);
  memories.remove(before.id);
  return { text: `${before.id} removed`, data: { id: before.id, removed: true, before: before.text } };
}

const findMemory = (memories: Memories, id: string): Memory =>
  findOne(memories.list(), (memory) => [memory.id, memory.text], id, 'memory', LIST);
