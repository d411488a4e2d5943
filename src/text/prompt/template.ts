import type { Problem } from '../../core/model/task.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../trackers/clean.ts';
import { VARIABLE_NAMES, VARIABLES } from './variables.ts';
import type { TemplateWord } from './variables.ts';
import type { PromptFacts } from './facts.ts';

export interface Template {
  readonly paragraphs: readonly Paragraph[];
}

interface Paragraph {
  /** The blank lines before it. */
  readonly gap: string;
  readonly pieces: readonly Piece[];
}

type Piece = { readonly text: string } | { readonly variable: TemplateWord };

/** A literal brace pair, or the beginning of a variable with its end where that is on the same line. */
const MARK = /\\\{\{|\{\{(?:((?:(?!\{\{|\}\}).)*)\}\})?/g;

/** Reads a template. Variables are found here, once; what they expand to is never looked at again. */
export function parseTemplate(
  text: string,
  words: readonly TemplateWord[] = VARIABLE_NAMES,
): { readonly template: Template } | { readonly problems: readonly Problem[] } {
  const paragraphs: { gap: string; pieces: Piece[] }[] = [];
  const problems: Problem[] = [];
  let gap = '';
  let isInside = false;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') {
      gap += '\n';
      isInside = false;
      continue;
    }
    const found = parseLine(line, index + 1, words);
    problems.push(...found.problems);
    const last = paragraphs.at(-1);
    if (isInside && last !== undefined) last.pieces.push({ text: '\n' }, ...found.pieces);
    else paragraphs.push({ gap: `\n${gap}`, pieces: [...found.pieces] });
    gap = '';
    isInside = true;
  }
  if (paragraphs.length === 0)
    problems.push({ line: 1, column: 1, message: 'is empty: the agent would get no prompt' });
  return problems.length > 0 ? { problems } : { template: { paragraphs } };
}

/** Whether a template names a variable anywhere. */
export function namesVariable(template: Template, name: TemplateWord): boolean {
  return template.paragraphs.some(({ pieces }) =>
    pieces.some((piece) => 'variable' in piece && piece.variable === name),
  );
}

function parseLine(
  line: string,
  number: number,
  words: readonly TemplateWord[],
): { readonly pieces: readonly Piece[]; readonly problems: readonly Problem[] } {
  const pieces: Piece[] = [];
  const problems: Problem[] = [];
  let from = 0;
  for (const mark of line.matchAll(MARK)) {
    if (mark.index > from) pieces.push({ text: line.slice(from, mark.index) });
    from = mark.index + mark[0].length;
    const name = mark[1]?.trim();
    const word = words.find((one) => one === name);
    if (mark[0].startsWith('\\')) pieces.push({ text: '{{' });
    else if (word !== undefined) pieces.push({ variable: word });
    else problems.push({ line: number, column: mark.index + 1, message: faultOf(name, words) });
  }
  if (from < line.length) pieces.push({ text: line.slice(from) });
  return { pieces, problems };
}

function faultOf(name: string | undefined, words: readonly TemplateWord[]): string {
  const literally = 'write \\{{ for the braces themselves';
  if (name === undefined) return `{{ is not closed by }} on the same line; ${literally}`;
  const meant = nearest(name, words);
  const known = meant === null ? `there are ${words.join(', ')}` : `did you mean {{${meant}}}?`;
  return `there is no variable ${quote(name)}; ${known}${meant === null ? `; ${literally}` : ''}`;
}

/** What the agent is told: text of a task stays text, whatever it looks like. `role` is put in where a frame has room for it. */
export function buildPrompt(template: Template, facts: PromptFacts, role: Template | null = null): string {
  let prompt = '';
  for (const { gap, pieces } of template.paragraphs) {
    const texts = pieces.map((piece) => expand(piece, facts, role));
    if (isOptional(pieces) && texts.every((text) => text.trim() === '')) continue;
    prompt += `${prompt === '' ? '' : gap}${texts.join('')}`;
  }
  return `${prompt}\n`;
}

function expand(piece: Piece, facts: PromptFacts, role: Template | null): string {
  if ('text' in piece) return piece.text;
  if (piece.variable === 'role') return role === null ? '' : buildPrompt(role, facts).trimEnd();
  return VARIABLES[piece.variable](facts);
}

/** Nothing but variables: what they have nothing to say about, nobody needs to read a gap for. */
function isOptional(pieces: Paragraph['pieces']): boolean {
  return pieces.every((piece) => 'variable' in piece || piece.text.trim() === '');
}
