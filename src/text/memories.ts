import { cleanLine, cleanText } from './trackers/clean.ts';

/** Something a loop or the user wants later loops to know. */
export interface Memory {
  readonly id: string;
  /** Wall clock in ms. */
  readonly at: number;
  /** The loop that said it, or `user`. */
  readonly by: string;
  readonly text: string;
  readonly tags: readonly string[];
}

const isLoops = (by: string): boolean => by !== 'user';

/** Whose word it is: what a loop wrote down no person has looked at. */
export const describeAuthor = (by: string): string => (isLoops(by) ? `from loop ${by}` : by);

/** As a prompt shows it. */
export const withAuthor = ({ by, text }: Memory): string => (isLoops(by) ? `(${describeAuthor(by)}) ${text}` : text);

export const MEMORY_CHARS_MAX = 4000;
const TAGS_MAX = 16;
const NAME_CHARS_MAX = 100;
const CHARS_A_TOKEN = 4;
/** What a bullet adds around its text. */
const BULLET_CHARS = 3;
const WORD_CHARS_MIN = 3;
/** In every second sentence, so sharing them means nothing. */
const COMMON = new Set(
  'the and for with that this from into not are all any can has have its use when must should'.split(' '),
);

/** The same without anything that acts instead of being read. */
export function cleanMemory(memory: Memory): Memory {
  const tags = memory.tags.map(cleanName).filter((tag) => tag !== '');
  return {
    id: cleanName(memory.id),
    at: memory.at,
    by: cleanName(memory.by),
    text: cleanText(memory.text),
    tags: [...new Set(tags)].slice(0, TAGS_MAX),
  };
}

const cleanName = (text: string): string => cleanLine(text).slice(0, NAME_CHARS_MAX);

/** Those that hold every one of the words somewhere, newest first. */
export function searchMemories(all: readonly Memory[], words: string): readonly Memory[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return newestFirst(all).filter((memory) => {
    const text = [memory.text, ...memory.tags].join('\n').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** What fits into a prompt: first those that share most words with the task, then the newest. No text comes twice. */
export function chooseMemories(
  all: readonly Memory[],
  { tokens, task }: { readonly tokens: number; readonly task: string },
): readonly Memory[] {
  const words = wordsOf(task);
  const ranked = newestFirst(all)
    .map((memory) => ({ memory, shared: sharedWith(memory, words) }))
    .sort((a, b) => b.shared - a.shared);
  const chosen = new Map<string, Memory>();
  let left = tokens * CHARS_A_TOKEN;
  for (const { memory } of ranked) {
    const chars = withAuthor(memory).length + BULLET_CHARS;
    if (chars > left || chosen.has(memory.text)) continue;
    chosen.set(memory.text, memory);
    left -= chars;
  }
  return [...chosen.values()];
}

function sharedWith(memory: Memory, words: ReadonlySet<string>): number {
  return [...wordsOf([memory.text, ...memory.tags].join(' '))].filter((word) => words.has(word)).length;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_CHARS_MIN && !COMMON.has(word)));
}

/** By time; of two at the same moment, the one written later. */
export function newestFirst(all: readonly Memory[]): Memory[] {
  return [...all].reverse().sort((a, b) => b.at - a.at);
}
