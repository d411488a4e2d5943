import { checkLandingTemplate } from '../landing-template.ts';
import { gateLineFault } from '../shell/gate-line.ts';
import { LONGEST_DURATION_H, readDurationMs } from './duration.ts';
import type { ConfigKey } from './keys.ts';
import { nearest } from './nearest.ts';
import { quoted } from './quoted.ts';

export interface ValueProblem {
  readonly message: string;
  /** Which item of a list is wrong; null: the value as a whole. */
  readonly item: number | null;
}

const CONTROL = /\p{Cc}/u;
// oxlint-disable-next-line no-control-regex -- NUL is what ends a variable early
const BREAKS_ENVIRONMENT = /[\0\r\n]/;
const BREAKS_A_MESSAGE = /(?![\n\r\t])\p{Cc}/u;
const A_TIME = `a time above zero and up to ${LONGEST_DURATION_H}h, like "90s", "30m" or "1h30m" (a number is seconds)`;
/** What git takes as the author of a commit. */
export const PERSON = /^[^<>\s](?:[^<>]*[^<>\s])? <[^<>\s]+@[^<>\s]+>$/;
export const VARIABLE_NAMES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

/** Says what is wrong with a value for a key, or null when it may stay. */
export function checkValue(key: ConfigKey, dotted: string, value: unknown): ValueProblem | null {
  const { type } = key;
  switch (type.kind) {
    case 'text':
      return whole(isLine(value) && value.trim() !== '', dotted, 'a non-empty text on one line', value);
    case 'pattern':
      return whole(isLine(value) && isPattern(value), dotted, 'a regular expression', value);
    case 'flag':
      return whole(typeof value === 'boolean', dotted, 'true or false', value);
    case 'count':
      return whole(isCount(value, type.min, type.max), dotted, `a whole number from ${type.min} to ${type.max}`, value);
    case 'amount':
      return whole(isAmount(value), dotted, 'a number from 0 up, such as 2.5', value);
    case 'auto-count':
      return whole(
        value === 'auto' || isCount(value, type.min, type.max),
        dotted,
        `"auto" or a whole number from ${type.min} to ${type.max}`,
        value,
      );
    case 'duration':
      return whole(readDurationMs(value) !== null, dotted, A_TIME, value);
    case 'auto-duration':
      return whole(value === 'auto' || readDurationMs(value) !== null, dotted, `"auto" or ${A_TIME}`, value);
    case 'choice':
      return oneOf(type.of, dotted, value);
    case 'landing-template':
      return template(dotted, value);
    case 'shell-line':
      return whole(
        typeof value === 'string' && isShellLine(value),
        dotted,
        'a shell command, such as "npm install"',
        value,
      );
    case 'variable':
      return whole(
        typeof value === 'string' && !BREAKS_ENVIRONMENT.test(value),
        dotted,
        'a text without line breaks and NUL',
        value,
      );
    case 'texts':
      return list(value, dotted, 'one item each', (item) => item.trim() !== '' && !CONTROL.test(item));
    case 'shell-lines':
      return list(value, dotted, 'shell commands', isShellLine) ?? (type.judge ? judges(value, dotted) : null);
    case 'people':
      return list(value, dotted, 'people, as NAME <MAIL>', (item) => !CONTROL.test(item) && PERSON.test(item));
    case 'argv':
      return list(
        value,
        dotted,
        'the program and its arguments',
        (item, at) => !item.includes('\0') && (at > 0 || item.trim() !== ''),
        true,
      );
    case 'variable-names':
      return list(value, dotted, 'variable names or PREFIX_*', (item) => VARIABLE_NAMES.test(item));
  }
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.prototype.toString.call(value) === '[object Date]' ? 'a date' : 'a table';
}

function whole(holds: boolean, dotted: string, wanted: string, value: unknown): ValueProblem | null {
  return holds ? null : { message: `\`${dotted}\` must be ${wanted}, not ${shown(value)}`, item: null };
}

function oneOf(words: readonly string[], dotted: string, value: unknown): ValueProblem | null {
  const fits = typeof value === 'string' && words.includes(value);
  const problem = whole(fits, dotted, `one of ${words.join(', ')}`, value);
  const meant = problem !== null && typeof value === 'string' ? nearest(value, words) : null;
  return problem !== null && meant !== null
    ? { ...problem, message: `${problem.message}; did you mean "${meant}"?` }
    : problem;
}

/** The first problem is enough here: a message is short, and its value has one place in the file. */
function template(dotted: string, value: unknown): ValueProblem | null {
  if (typeof value !== 'string' || value.trim() === '' || BREAKS_A_MESSAGE.test(value))
    return whole(false, dotted, 'a text that is not empty, without control characters', value);
  const [problem] = checkLandingTemplate(value);
  if (problem === undefined) return null;
  const { line, column, message } = problem;
  return { message: `\`${dotted}\`, line ${line}, column ${column}: ${message}`, item: null };
}

function list(
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
function judges(value: unknown, dotted: string): ValueProblem | null {
  const faults = (value as readonly string[]).map(gateLineFault);
  const item = faults.findIndex((fault) => fault !== null);
  if (item === -1) return null;
  return { message: `\`${dotted}\`: ${shown((value as readonly string[])[item])} ${faults[item] ?? ''}`, item };
}

function isShellLine(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu').source !== '(?:)';
  } catch {
    return false;
  }
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && !CONTROL.test(value);
}

function isCount(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
