import type { Memory } from '../memories.ts';
import { cleanMemory, MEMORY_CHARS_MAX } from '../memories.ts';
import type { PageProblem } from './page.ts';
import { memoryOf, readPage, tagsOf } from './page.ts';

export interface PageChanges {
  readonly added: readonly string[];
  /** As they are to be. */
  readonly changed: readonly Memory[];
  readonly removed: readonly string[];
  /** Empty, or nothing of the page may be taken. */
  readonly problems: readonly PageProblem[];
}

/** What somebody did to a page that showed these memories. */
export function pageChanges(body: string, shown: readonly Memory[]): PageChanges {
  const { entries, problems } = readPage(body);
  const found = [...problems];
  const added: string[] = [];
  const now = new Map<string, Memory>();
  for (const { line, about, text } of entries) {
    const memory = about === null ? null : memoryOf(about, shown);
    const clean = cleanMemory({ id: '', at: 0, by: '', text, tags: [] }).text;
    const problem = problemOf(clean, about, memory, now);
    if (problem !== null) found.push({ line, text: problem });
    else if (about === null || memory === null) added.push(clean);
    else now.set(memory.id, cleanMemory({ ...memory, text, tags: tagsOf(about, memory) }));
  }
  return {
    added,
    changed: shown.flatMap((memory) => differing(memory, now.get(memory.id))),
    removed: shown.filter(({ id }) => !now.has(id)).map(({ id }) => id),
    problems: found.toSorted((a, b) => a.line - b.line),
  };
}

function problemOf(
  text: string,
  about: string | null,
  memory: Memory | null,
  now: ReadonlyMap<string, Memory>,
): string | null {
  if (about !== null && memory === null)
    return 'no memory of this name is there: a new one is a line that begins with `- ` and its text';
  if (memory !== null && now.has(memory.id)) return `${memory.id} is there twice`;
  if (text === '') return 'this entry has no text: to remove it, take its first line away as well';
  if (text.length > MEMORY_CHARS_MAX) return `a memory has at most ${MEMORY_CHARS_MAX} characters, this ${text.length}`;
  return null;
}

/** An editor that takes blanks off the ends of lines has changed nothing. */
function differing(before: Memory, now: Memory | undefined): readonly Memory[] {
  if (now === undefined) return [];
  const isSame = withoutEnds(before.text) === withoutEnds(now.text) && before.tags.join('\n') === now.tags.join('\n');
  return isSame ? [] : [now];
}

const withoutEnds = (text: string): string => text.replaceAll(/[ \t]+$/gm, '').trim();
