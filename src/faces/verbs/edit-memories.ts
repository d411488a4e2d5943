import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { findRepository } from '../../world/git/repository.ts';
import { openMemories } from '../../world/memories.ts';
import type { Memories, Memory } from '../../world/memories.ts';
import { FOREIGN_PAGES } from '../../world/memory/import-memories.ts';
import { errorCode } from '../../world/log/log-errors.ts';
import { findOne } from '../cli/find-one.ts';
import type { Answer } from './answer.ts';
import { cutNotice, saidText } from './said-text.ts';

const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const LIST = 'ralph memory list';

type Say = (text: string) => void;

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
  findOne(memories.list(), (memory) => [memory.id], id, 'memory', LIST);

/** Takes what was changed on a page, or nothing of it. */
export function applyMemories(memories: Memories, page: string, file: string): Answer {
  const { added, changed, removed, count, problems } = memories.apply(page);
  const [first] = problems;
  if (first !== undefined)
    throw new AppError('E_MEMORIES', `${file}:${first.line}: ${first.text}`, {
      facts: [...problems.slice(1).map(({ line, text }) => `${file}:${line}: ${text}`), 'nothing is changed'],
      remedy: `$EDITOR ${shellWord(file)} && ralph memory edit --file ${shellWord(file)}`,
    });
  const parts = [`${added} added`, `${changed} changed`, `${removed} removed`].filter((part) => !part.startsWith('0 '));
  return { text: count === 0 ? 'nothing is changed' : parts.join(', '), data: { added, changed, removed } };
}

/** Takes over another tool's memories, from where it keeps them or from a file. */
export function importMemories(cwd: string, file: string | null, say: Say): Answer {
  const repo = findRepository(cwd);
  const memories = openMemories(repo, say);
  const known = FOREIGN_PAGES.map((name) => `${repo.root}/${name}`);
  const files = file === null ? known.filter((one) => statSync(one, { throwIfNoEntry: false })?.isFile()) : [file];
  if (files.length === 0)
    throw new AppError('E_USAGE', `there is neither ${FOREIGN_PAGES.join(' nor ')}`, {
      remedy: 'ralph memory import FILE',
    });
  const done = files.map((one) => memories.importPage(readGiven(one), statSync(one).mtimeMs));
  const found = done.reduce((sum, one) => sum + one.found, 0);
  const added = done.reduce((sum, one) => sum + one.added, 0);
  return { text: `${added} of ${found} memories are new and taken over`, data: { files, found, added } };
}

/** A file the user named: links are theirs, but it must be a file of reasonable size. */
export function readGiven(file: string): string {
  const refused = (why: string, cause?: unknown): AppError =>
    new AppError('E_USAGE', `${file} ${why}`, { remedy: `ls -l ${shellWord(file)}`, cause });
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() === true && stat.size <= PAGE_BYTES_MAX) return readFileSync(file, 'utf8');
    throw refused(stat === undefined ? 'is not there' : 'is not a plain file of reasonable size');
  } catch (error) {
    const code = errorCode(error);
    throw error instanceof AppError || code === null ? error : refused(`cannot be read: ${code}`, error);
  }
}
