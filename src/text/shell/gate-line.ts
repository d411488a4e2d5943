import { lexShell } from './lex.ts';

/** What may follow the last `&` of a line and changes nothing about it. */
const CLOSES = new Set([')', '\n', ';', '}', 'fi', 'done', 'esac']);

const COMPOUND = new Set(['(', '{', 'if', 'while', 'until', 'for', 'case']);
const ENDS = new Set([';', '\n', '&']);

/** Why a command can be no gate, with what to write instead; null: it can. */
export function gateLineFault(command: string): string | null {
  const tokens = lexShell(command);
  const spoken = tokens.filter(({ text }) => text !== '\n');
  if (spoken.length === 0)
    return 'is only a comment, so it would always be green; write the command itself, or take it out of the list';
  const last = spoken.findLast(({ text }) => !CLOSES.has(text));
  if (last?.kind !== 'operator' || last.text !== '&') return null;
  const [before, after] = [command.slice(0, last.at).trimEnd(), command.slice(last.at + 1).trimEnd()];
  const isInside = spoken[spoken.indexOf(last) + 1]?.kind === 'word';
  const instead = `${before}${isInside ? ';' : ''}${after}`;
  return `ends in &, so nothing waits for it and its failure would not count; write ${JSON.stringify(instead)}`;
}

/** What stands in it and no shell counts, in the words of a warning; null: all of it counts. */
export function uncountedIn(command: string): string | null {
  const tokens = lexShell(command);
  // Inside these `!` is a condition more often than not.
  if (tokens.some(({ text }) => COMPOUND.has(text))) return null;
  const ends = tokens.flatMap(({ kind, text }, at) => (kind === 'operator' && ENDS.has(text) ? [at] : []));
  const statements = [0, ...ends.map((at) => at + 1)]
    .map((from, index) => tokens.slice(from, ends[index]).map(({ text }) => text))
    .filter(({ length }) => length > 0);
  const isAlone = (words: readonly string[]): boolean => !words.includes('&&') && !words.includes('||');
  if (statements.slice(0, -1).some((words) => words[0] === '!' && isAlone(words)))
    return 'a command after ! counts only at the end; before that write: if COMMAND; then exit 1; fi';
  const forgets = statements.some((words) => words.length === 1 && words[0] === 'wait');
  return forgets ? 'wait alone forgets how what it waits for ended; write: wait PROCESS_ID' : null;
}

/** Whether the exit code of a program in it is lost to a shell without `pipefail`. */
export function hasPipe(command: string): boolean {
  return lexShell(command).some(
    ({ kind, text, inner }) => (kind === 'operator' && (text === '|' || text === '|&')) || inner.some(hasPipe),
  );
}
