import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { AppError } from '../core/errors.ts';
import { DEFAULT_TEMPLATE } from '../text/prompt/default-template.ts';
import { namesVariable, parseTemplate } from '../text/prompt/template.ts';
import type { Template } from '../text/prompt/template.ts';
import type { VariableName } from '../text/prompt/variables.ts';

const FOLDER = '.ralph/prompts';
const NAME = 'iteration.md';
const SHOWN = `${FOLDER}/${NAME}`;
const BYTES_MAX = 256 * 1024;

/** Without these an agent does not know what to do, or never gets to say that it did it. */
const NEEDED: readonly (readonly [VariableName, string])[] = [
  ['task_title', 'which task it works on'],
  ['task_body', 'what the task says'],
  ['promise_rule', 'how to say that it is done'],
];

export interface LoadedTemplate {
  readonly template: Template;
  /** One sentence each, for a person. */
  readonly warnings: readonly string[];
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new AppError('E_PROMPT', `${FOLDER} is not a folder that can be read`, {
      cause,
      remedy: `ls -ld .ralph ${FOLDER}`,
    });
  }
}

/** The user's own template from the main checkout; the default one where there is none. */
export function loadPromptTemplate(root: string): LoadedTemplate {
  const names = namesIn(join(root, FOLDER));
  const strays = names.filter((name) => name !== NAME && !name.startsWith('.'));
  const warnings = strays.map((name) => `${FOLDER}/${name} is not used: the one template there is is called ${NAME}`);
  const file = join(root, FOLDER, NAME);
  if (!isThere(file)) return { template: DEFAULT_TEMPLATE, warnings };
  const read = parseTemplate(readTemplate(root, file));
  if ('problems' in read) {
    const count = read.problems.length === 1 ? 'a problem' : `${read.problems.length} problems`;
    throw new AppError('E_PROMPT', `${SHOWN} has ${count}, so no agent can be told its task`, {
      facts: read.problems.map(({ line, column, message }) => `${SHOWN}:${line}:${column} ${message}`),
      remedy: `$EDITOR ${SHOWN}`,
    });
  }
  const missing = NEEDED.filter(([name]) => !namesVariable(read.template, name));
  return {
    template: read.template,
    warnings: [
      ...warnings,
      ...missing.map(([name, what]) => `${SHOWN} has no {{${name}}}: an agent is not told ${what}`),
    ],
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw unusable(`cannot be looked for: ${code}`, `ls -ld ${FOLDER}`, error);
  }
}

/** Whatever a template was replaced by must not be waited for, and nothing outside of the checkout goes to an agent. */
function readTemplate(root: string, file: string): string {
  const target = realTarget(file);
  const inside = relative(realpathSync(root), target);
  if (inside === '..' || inside.startsWith(`..${sep}`)) throw unusable(`leads out of the checkout, to ${target}`);
  const fd = open(target);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unusable('is not a plain file');
    if (stat.size > BYTES_MAX) throw unusable(`has ${stat.size} bytes; at most ${BYTES_MAX} are read`);
    const bytes = readFileSync(fd);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) throw notText(bytes);
    return text;
  } finally {
    closeSync(fd);
  }
}

function realTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    throw unusable('is a link that leads nowhere', `rm ${SHOWN}`, error);
  }
}

function open(target: string): number {
  try {
    return openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unusable(`cannot be read: ${(error as NodeJS.ErrnoException).code}`, `ls -l ${SHOWN}`, error);
  }
}

/** Says where the first byte is that is not text. */
function notText(bytes: Buffer): AppError {
  const lines = bytes.toString('latin1').split('\n');
  const at = lines.findIndex((line) => !isText(Buffer.from(line, 'latin1')));
  const line = Buffer.from(lines[at] ?? '', 'latin1');
  const column = line.toString('utf8').indexOf('\uFFFD') + 1;
  return unusable('is not UTF-8 text', `$EDITOR ${SHOWN}`, undefined, `${SHOWN}:${at + 1}:${column}`);
}

const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);

function unusable(why: string, remedy = `ls -l ${SHOWN}`, cause?: unknown, where = `${SHOWN}:1:1`): AppError {
  return new AppError('E_PROMPT', `${SHOWN} ${why}`, { facts: [`${where} ${why}`], remedy, cause });
}
