import type { Problem } from '../../core/model/task.ts';
import { nearest } from './nearest.ts';
import { cleanText } from '../screen/clean.ts';
import { quoted } from './quoted.ts';

export const LANDING_VARIABLES = ['task_id', 'title', 'branch', 'loop', 'agent', 'iterations', 'target'] as const;
export type LandingVariable = (typeof LANDING_VARIABLES)[number];

const CHARS_MAX = 10_000;
const LITERAL = '\\{{';
/** A literal brace pair, a variable, or the beginning of one that has no end on its line. */
const MARK = /\\\{\{|\{\{(?:((?:(?!\{\{|\}\}).)*)\}\})?/g;

/** What is wrong with the template of a landing's message; nothing: it can be used. */
export function checkLandingTemplate(text: string): readonly Problem[] {
  if (text.trim() === '') return [{ line: 1, column: 1, message: 'is empty: a commit needs a message' }];
  if (text.length > CHARS_MAX) return [{ line: 1, column: 1, message: `is longer than ${CHARS_MAX} characters` }];
  return text.split(/\r\n|\n/).flatMap((line, index) =>
    [...line.matchAll(MARK)].flatMap((match) => {
      const message = match[0] === LITERAL ? null : problemOf(match[1]);
      return message === null ? [] : [{ line: index + 1, column: match.index + 1, message }];
    }),
  );
}

/** Puts in the values. They are not looked at again: a title that looks like a variable stays as it is. */
export function renderLandingTemplate(text: string, values: Readonly<Record<LandingVariable, string>>): string {
  return cleanText(text).replaceAll(MARK, (whole, name: string | undefined) => {
    const variable = variableOf(name);
    if (whole === LITERAL) return '{{';
    return variable === null ? whole : values[variable];
  });
}

function problemOf(name: string | undefined): string | null {
  if (name === undefined) return `{{ is not closed by }} on the same line; write ${LITERAL} for the braces themselves`;
  if (variableOf(name) !== null) return null;
  const close = nearest(name.trim(), LANDING_VARIABLES);
  const offer = close === null ? `there are ${LANDING_VARIABLES.join(', ')}` : `did you mean {{${close}}}?`;
  return `there is no variable ${quoted(name.trim())}; ${offer}`;
}

function variableOf(name: string | undefined): LandingVariable | null {
  return LANDING_VARIABLES.find((one) => one === name?.trim()) ?? null;
}
