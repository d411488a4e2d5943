import type { PromptFacts } from './facts.ts';
import type { Paragraph, Piece, Template } from './template.ts';
import { VARIABLES } from './variables.ts';

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
