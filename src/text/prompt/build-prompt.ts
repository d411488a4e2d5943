import type { PromptFacts } from './facts.ts';
import type { Paragraph, Piece, Template } from './template.ts';
import { VARIABLES } from './variables.ts';

/** What the agent is told: text of a task stays text, whatever it looks like. */
export function buildPrompt(template: Template, facts: PromptFacts): string {
  let prompt = '';
  for (const { gap, pieces } of template.paragraphs) {
    const texts = pieces.map((piece) => expand(piece, facts));
    if (isOptional(pieces) && texts.every((text) => text.trim() === '')) continue;
    prompt += `${prompt === '' ? '' : gap}${texts.join('')}`;
  }
  return `${prompt}\n`;
}

function expand(piece: Piece, facts: PromptFacts): string {
  return 'text' in piece ? piece.text : VARIABLES[piece.variable](facts);
}

/** Nothing but variables: what they have nothing to say about, nobody needs to read a gap for. */
function isOptional(pieces: Paragraph['pieces']): boolean {
  return pieces.every((piece) => 'variable' in piece || piece.text.trim() === '');
}
