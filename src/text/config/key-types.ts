import { type ValueProblem, isAmount, isCount, isLine, isPattern, isShellLine, isTemplate } from './check-value.ts';
import { judges, list, oneOf, whole } from './check-value.ts';
import { LONGEST_DURATION_H, readDurationMs } from './duration.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a key may hold: everything that checks, describes or reads a value. */
export interface KeyType {
  /** In the reference. */
  readonly words: string;
  /** As JSON Schema says it. */
  readonly schema: Json;
  /** What is wrong with a value; null: it may stay. */
  readonly check: (dotted: string, value: unknown) => ValueProblem | null;
  /** What a file would hold for the text of a variable or flag; text that does not fit stays text, for the check to refuse. */
  readonly read: (text: string) => unknown;
}

const A_TIME = `a time above zero and up to ${LONGEST_DURATION_H}h, like "90s", "30m" or "1h30m" (a number is seconds)`;
const TIMES: readonly Json[] = [
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'string', pattern: '^(\\d+(\\.\\d+)?(h|ms|m|s))+$' },
];
const AUTO: Json = { type: 'string', enum: ['auto'] };
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
const VARIABLE_NAMES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
// oxlint-disable-next-line no-control-regex -- NUL is what ends a variable early
const BREAKS_ENVIRONMENT = /[\0\r\n]/;
const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0']);

const asItIs = (text: string): unknown => text;
const asNumber = (text: string): unknown => (NUMBER.test(text.trim()) ? Number(text) : text.trim());

/** A value of one piece. */
const one = (
  words: string,
  schema: Json,
  wanted: string,
  fits: (value: unknown) => boolean,
  read = asItIs,
): KeyType => ({ words, schema, read, check: (dotted, value) => whole(fits(value), dotted, wanted, value) });

const NOT_EMPTY: Json = { type: 'string', minLength: 1 };

export const text = one(
  'text',
  NOT_EMPTY,
  'a non-empty text on one line',
  (value) => isLine(value) && value.trim() !== '',
);
export const filePath = one(
  'path of a file',
  NOT_EMPTY,
  'the path of one file inside the repository, without / at its start and without ..',
  (value) => isLine(value) && value.trim() !== '' && !/^\/|\/$/.test(value) && !value.split('/').includes('..'),
);
/** Every loop needs one of its own. */
const NAMES_ONE = /<(?:task|loop)>/;
const asNames = (value: string): string => value.replaceAll(/<(?:task|loop|repo)>/g, 'x');
const hasPlaces = (value: unknown): value is string =>
  isLine(value) && NAMES_ONE.test(value) && !/[<>\0]/.test(asNames(value));
export const folderOfLoop = one(
  'folder with <task> or <loop>',
  { type: 'string', pattern: NAMES_ONE.source },
  'a folder with <task> or <loop> in its last part, and with nothing else in angle brackets but <repo>',
  (value) => hasPlaces(value) && NAMES_ONE.test(value.split('/').at(-1) ?? ''),
);
export const branchOfLoop = one(
  'branch with <task> or <loop>',
  { type: 'string', pattern: NAMES_ONE.source },
  'the name of a branch with <task> or <loop> in it, and with nothing else in angle brackets but <repo>',
  (value) => hasPlaces(value) && isBranchName(asNames(value)),
);
/** What git takes for the name of a branch. */
const isBranchName = (name: string): boolean =>
  !/[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) && !name.split('/').some((part) => /^\.|\.lock$/.test(part));
export const pattern = one(
  'regular expression',
  NOT_EMPTY,
  'a regular expression',
  (value) => isLine(value) && isPattern(value),
);
export const flag = one(
  'true or false',
  { type: 'boolean' },
  'true or false',
  (value) => typeof value === 'boolean',
  (given) => {
    const word = given.trim().toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : given;
  },
);
export const amount = one(
  'number from 0 up',
  { type: 'number', minimum: 0 },
  'a number from 0 up, such as 2.5',
  isAmount,
  asNumber,
);
export const duration = one(
  'time: "90s", "30m", "1h30m", or seconds',
  { anyOf: TIMES },
  A_TIME,
  (value) => readDurationMs(value) !== null,
  asNumber,
);
/** A token must not go over the wire in the clear, and no login belongs into an address. */
const FORGE_URL = /^(?:https:\/\/[^/@\s?#]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^@\s?#]*)?$/i;
export const forgeUrl = one(
  'https address',
  NOT_EMPTY,
  'an https address without a login in it, such as https://git.example.com (http only for this machine)',
  (value) => typeof value === 'string' && FORGE_URL.test(value),
);
export const ownerAndName = one(
  'owner/name',
  { type: 'string', pattern: '^[\\w.-]+/[\\w.-]+$' },
  'the owner and the name of a repository, such as owner/name',
  (value) => typeof value === 'string' && /^[\w.-]+\/[\w.-]+$/.test(value),
);
export const variableName = one(
  'name of a variable',
  { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  'the name of a variable, such as MY_TOKEN',
  (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
);
export const shellLine = one(
  'shell command',
  NOT_EMPTY,
  'a shell command, such as "npm install"',
  (value) => typeof value === 'string' && isShellLine(value),
);
export const variable = one(
  'text',
  { type: 'string', pattern: '^[^\\r\\n]*$' },
  'a text without line breaks and NUL',
  (value) => typeof value === 'string' && !BREAKS_ENVIRONMENT.test(value),
);
export const count = (min: number, max: number): KeyType =>
  one(
    `whole number, ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max },
    `a whole number from ${min} to ${max}`,
    (value) => isCount(value, min, max),
    asNumber,
  );

/** The same, or the word `auto`. */
export const autoCount = (min: number, max: number): KeyType =>
  one(
    `"auto", or whole number, ${min} to ${max}`,
    { anyOf: [AUTO, count(min, max).schema] },
    `"auto" or a whole number from ${min} to ${max}`,
    (value) => value === 'auto' || isCount(value, min, max),
    asNumber,
  );
export const autoDuration = one(
  `"auto", or ${duration.words}`,
  { anyOf: [AUTO, ...TIMES] },
  `"auto" or ${A_TIME}`,
  (value) => value === 'auto' || readDurationMs(value) !== null,
  asNumber,
);

export const choice = (...of: readonly string[]): KeyType => ({
  words: of.map((word) => JSON.stringify(word)).join(', '),
  schema: { type: 'string', enum: of },
  check: (dotted, value) => oneOf(of, dotted, value),
  read: asItIs,
});
export const landingTemplate: KeyType = { words: 'text', schema: NOT_EMPTY, check: isTemplate, read: asItIs };

const many = (words: string, item: Json, check: KeyType['check'], more: Json = {}): KeyType => ({
  words,
  schema: { type: 'array', items: { type: 'string', ...item }, ...more },
  check,
  read: listFromText,
});

export const texts = many('list of texts', { minLength: 1 }, (dotted, value) =>
  list(value, dotted, 'one item each', (item) => item.trim() !== '' && isLine(item)),
);
/** Some of these words. */
export const choices = (...of: readonly string[]): KeyType =>
  many(`list of ${of.map((word) => JSON.stringify(word)).join(', ')}`, { enum: of }, (dotted, value) =>
    list(value, dotted, `one of ${of.join(', ')}`, (item) => of.includes(item)),
  );
/** One, or several that count side by side. */
export const textOrTexts: KeyType = {
  words: 'text, or list of texts',
  schema: { anyOf: [text.schema, { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }] },
  check: (dotted, value) =>
    Array.isArray(value) && value.length > 0 ? texts.check(dotted, value) : text.check(dotted, value),
  read: (given) => (given.trim().startsWith('[') ? listFromText(given) : given),
};
export const shellLines = many('list of shell commands', { minLength: 1 }, (dotted, value) =>
  list(value, dotted, 'shell commands', isShellLine),
);
/** Their exit codes decide something, so each must be a command that is waited for. */
export const judgingLines: KeyType = {
  ...shellLines,
  check: (dotted, value) => shellLines.check(dotted, value) ?? judges(value, dotted),
};
export const argv = many(
  'list: program, arguments',
  {},
  (dotted, value) =>
    list(
      value,
      dotted,
      'the program and its arguments',
      (item, at) => !item.includes('\0') && (at > 0 || item.trim() !== ''),
      true,
    ),
  { minItems: 1 },
);
export const variableNames = many('list of NAME or PREFIX_*', { pattern: VARIABLE_NAMES.source }, (dotted, value) =>
  list(value, dotted, 'variable names or PREFIX_*', (item) => VARIABLE_NAMES.test(item)),
);

/** A JSON list, or items between commas: commands that hold a comma need the JSON form. */
function listFromText(given: string): unknown {
  const said = given.trim();
  if (said === '') return [];
  if (!said.startsWith('[')) return said.split(',').map((item) => item.trim());
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
