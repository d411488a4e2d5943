import { checkLandingTemplate } from './landing-template.ts';
import { gateLineFault } from '../shell/gate-line.ts';
import type { ConfigKey } from './keys.ts';
import { nearest } from './nearest.ts';
import { quoted } from './quoted.ts';

export interface ValueProblem {
  readonly message: string;
  /** Which item of a list is wrong; null: the value as a whole. */
  readonly item: number | null;
}

const CONTROL = /\p{Cc}/u;
const BREAKS_A_MESSAGE = /(?![\n\r\t])\p{Cc}/u;
/** Says what is wrong with a value for a key, or null when it may stay. */
export const checkValue = ({ type }: ConfigKey, dotted: string, value: unknown): ValueProblem | null =>
  type.check(dotted, value);

/** A value as a message shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.prototype.toString.call(value) === '[object Date]' ? 'a date' : 'a table';
}

export function whole(holds: boolean, dotted: string, wanted: string, value: unknown): ValueProblem | null {
  return holds ? null : { message: `\`${dotted}\` must be ${wanted}, not ${shown(value)}`, item: null };
}

export function oneOf(words: readonly string[], dotted: string, value: unknown): ValueProblem | null {
  const fits = typeof value === 'string' && words.includes(value);
  const problem = whole(fits, dotted, `one of ${words.join(', ')}`, value);
  const meant = problem !== null && typeof value === 'string' ? nearest(value, words) : null;
  return problem !== null && meant !== null
    ? { ...problem, message: `${problem.message}; did you mean "${meant}"?` }
    : problem;
}

/** The first problem is enough here: a message is short, and its value has one place in the file. */
export function isTemplate(dotted: string, value: unknown): ValueProblem | null {
  if (typeof value !== 'string' || value.trim() === '' || BREAKS_A_MESSAGE.test(value))
    return whole(false, dotted, 'a text that is not empty, without control characters', value);
  const [problem] = checkLandingTemplate(value);
  if (problem === undefined) return null;
  const { line, column, message } = problem;
  return { message: `\`${dotted}\`, line ${line}, column ${column}: ${message}`, item: null };
}

export function list(
  value: unknown,
  dotted: string,
  what: string,
  fits: (item: string, at: number) => boolean,
  nonEmpty = false,
): ValueProblem | null {
  const wanted = `a list of texts: ${what}`;
  if (!Array.isArray(value) || (nonEmpty && value.length === 0)) return whole(false, dotted, wanted, value);
  const item = value.findIndex((each: unknown, at) => typeof each !== 'string' || !fits(each, at));
  return item === -1
    ? null
    : { message: `\`${dotted}\` must be ${wanted}; item ${item + 1} is ${shown(value[item])}`, item };
}

/** The first command that would be green whatever it finds. */
export function judges(value: unknown, dotted: string): ValueProblem | null {
  const faults = (value as readonly string[]).map(gateLineFault);
  const item = faults.findIndex((fault) => fault !== null);
  if (item === -1) return null;
  return { message: `\`${dotted}\`: ${shown((value as readonly string[])[item])} ${faults[item] ?? ''}`, item };
}

export function isShellLine(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu').source !== '(?:)';
  } catch {
    return false;
  }
}

export function isLine(value: unknown): value is string {
  return typeof value === 'string' && !CONTROL.test(value);
}

export function isCount(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

export function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
