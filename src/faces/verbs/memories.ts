import { AppError } from '../../core/model/errors.ts';
import { cleanMemory, describeAuthor } from '../../text/memories.ts';
import { cleanLine, cleanText } from '../../text/screen/clean.ts';
import { openMemories } from '../../world/prompts/memories.ts';
import type { Memories } from '../../world/prompts/memories.ts';
import { readState } from '../call/project.ts';
import type { Answer } from '../call/handler.ts';
import { callerRepository, checkCaller } from './caller.ts';
import type { CallerPlace } from './caller.ts';
import { cutNotice, saidText } from '../call/said-text.ts';

interface MemoryView {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly by: string;
  readonly at: string;
}

type Listed = Answer<{ readonly memories: readonly MemoryView[] }>;

/** Something worth knowing for every later loop, from an agent or a person. */
export async function addMemory(
  place: CallerPlace,
  words: readonly string[],
  tags: readonly string[],
): Promise<Answer<Omit<MemoryView, 'at'>>> {
  const usage = 'ralph memory add "what every later loop should know" --tag build';
  const said = saidText(words, 'the memory', usage);
  const repo = callerRepository(place);
  const by = place.claim === null ? 'user' : checkCaller(repo, await readState(repo), place.claim).loop.id;
  const entry = { text: said.text, tags, by, at: Date.now() };
  const { id } = openMemories(repo).add(entry);
  // What is kept is answered, not what was sent: that may be megabytes.
  const kept = cleanMemory({ ...entry, id });
  return { says: [`noted as ${id}${cutNotice(said)}`], data: { id, text: kept.text, tags: kept.tags, by } };
}

export async function listMemories(place: CallerPlace): Promise<Listed> {
  const none = 'nothing is remembered yet; add something: ralph memory add TEXT';
  return answerOf(place, none, (memories) => memories.list());
}

export async function searchMemories(place: CallerPlace, words: readonly string[]): Promise<Listed> {
  const query = cleanLine(words.join(' '));
  if (query === '')
    throw new AppError('E_USAGE', 'say which words to look for', { remedy: 'ralph memory search "build"' });
  const none = 'no memory holds these words; all of them: ralph memory list';
  return answerOf(place, none, (memories) => memories.search(query));
}

function answerOf(place: CallerPlace, none: string, ask: (memories: Memories) => ReturnType<Memories['list']>): Listed {
  const found = ask(openMemories(callerRepository(place)));
  const memories = found.map(({ id, text, tags, by, at }) => ({ id, text, tags, by, at: new Date(at).toISOString() }));
  return { data: { memories }, text: memories.map(lineOf).join('\n'), says: memories.length === 0 ? [none] : [] };
}

function lineOf(memory: MemoryView): string {
  const tags = memory.tags.length === 0 ? '' : ` [${memory.tags.map(cleanLine).join(', ')}]`;
  return `- ${cleanText(memory.text).replaceAll('\n', '\n  ')}${tags} (${cleanLine(describeAuthor(memory.by))}) ${cleanLine(memory.id)}`;
}
