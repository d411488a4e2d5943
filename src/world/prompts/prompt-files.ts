import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { nearest } from '../../text/config/nearest.ts';
import { PROMPT_KINDS, PROMPT_NAMES } from '../../text/prompt/prompt-kinds.ts';
import type { PromptName } from '../../text/prompt/prompt-kinds.ts';
import { namesVariable, parseTemplate } from '../../text/prompt/template.ts';
import type { Template } from '../../text/prompt/template.ts';

const FOLDER = '.ralph/prompts';
const BYTES_MAX = 256 * 1024;

export interface LoadedTemplate {
  readonly template: Template;
  /** One sentence each, for a person. */
  readonly warnings: readonly string[];
}

/** Reads every template there is, so that what is wrong with one shows before anything starts. */
export function checkPromptFiles(root: string, isTestFirst = false): { readonly warnings: readonly string[] } {
  if (isTestFirst) readOwnPrompt(root, '');
  const ours = PROMPT_NAMES.map((name) => fileOf(name));
  const strays = namesIn(root).filter((name) => !ours.includes(name) && !name.startsWith('.'));
  const unused = strays.map((name) => {
    const meant = nearest(name, ours);
    const known = meant === null ? `there are ${ours.join(', ')}` : `did you mean ${meant}?`;
    return `${FOLDER}/${name} is not used: no template has that name; ${known}`;
  });
  return { warnings: [...unused, ...PROMPT_NAMES.flatMap((name) => loadPromptTemplate(root, name).warnings)] };
}

/** The user's own template from the main checkout; the default one where there is none. */
export function loadPromptTemplate(root: string, name: PromptName = 'iteration'): LoadedTemplate {
  const { template: byDefault, words, needed } = PROMPT_KINDS[name];
  const shown = `${FOLDER}/${fileOf(name)}`;
  if (!isThere(join(root, shown))) return { template: byDefault, warnings: [] };
  const read = parseTemplate(readTemplate(root, shown), words);
  if ('problems' in read) {
    const count = read.problems.length === 1 ? 'a problem' : `${read.problems.length} problems`;
    throw new AppError('E_PROMPT', `${shown} has ${count}, so no prompt can be made`, {
      facts: read.problems.map(({ line, column, message }) => `${shown}:${line}:${column} ${message}`),
      remedy: `$EDITOR ${shellWord(shown)}`,
    });
  }
  const missing = needed.filter(([word]) => !namesVariable(read.template, word));
  return {
    template: read.template,
    warnings: missing.map(([word, what]) => `${shown} has no {{${word}}}: the prompt does not say ${what}`),
  };
}

const AGENT_FILE = '.claude/agents/worker.md';
const REVIEWER_FILE = '.claude/agents/merger.md';

/**
 * What a project tells the workers of its orchestrator: its text as it is, with the id for `$TASK_ID`. No shell sees it. Null: it
 * has none, or has a template of ours for them.
 */
export function readOwnPrompt(root: string, task: string): string | null {
  if (isThere(join(root, FOLDER, fileOf('orchestrate'))) || !isThere(join(root, AGENT_FILE))) return null;
  return readTemplate(root, AGENT_FILE).replaceAll(/\$TASK_ID\b/g, () => task);
}

/** The same for whoever reviews pull requests. */
export const readReviewerPrompt = (root: string, task: string): string | null =>
  isThere(join(root, REVIEWER_FILE)) ? readTemplate(root, REVIEWER_FILE).replaceAll(/\$TASK_ID\b/g, () => task) : null;

const fileOf = (name: PromptName): string => `${name}.md`;

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

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(join(root, FOLDER)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw unusable(FOLDER, `cannot be looked into: ${code}`, { remedy: `ls -ld ${FOLDER}`, cause: error });
  }
}

/** Whatever a template was replaced by must not be waited for, and nothing outside of the checkout goes to an agent. */
function readTemplate(root: string, shown: string): string {
  const target = realTarget(root, shown);
  const inside = relative(realpathSync(root), target);
  if (inside === '..' || inside.startsWith(`..${sep}`))
    throw unusable(shown, `leads out of the checkout, to ${target}`);
  const fd = open(target, shown);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unusable(shown, 'is not a plain file');
    if (stat.size > BYTES_MAX) throw unusable(shown, `has ${stat.size} bytes; at most ${BYTES_MAX} are read`);
    const bytes = readFileSync(fd);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) throw notText(shown, bytes);
    return text;
  } finally {
    closeSync(fd);
  }
}

function realTarget(root: string, shown: string): string {
  try {
    return realpathSync(join(root, shown));
  } catch (cause) {
    throw unusable(shown, 'is a link that leads nowhere', { remedy: `rm ${shellWord(shown)}`, cause });
  }
}

function open(target: string, shown: string): number {
  try {
    return openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw unusable(shown, `cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** Says where the first byte is that is not text. */
function notText(shown: string, bytes: Buffer): AppError {
  const lines = bytes.toString('latin1').split('\n');
  const at = lines.findIndex((line) => !isText(Buffer.from(line, 'latin1')));
  const line = Buffer.from(lines[at] ?? '', 'latin1');
  const column = line.toString('utf8').indexOf('\uFFFD') + 1;
  return unusable(shown, 'is not UTF-8 text', {
    remedy: `$EDITOR ${shellWord(shown)}`,
    where: `${shown}:${at + 1}:${column}`,
  });
}

const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);

interface Trouble {
  readonly remedy?: string;
  readonly where?: string;
  readonly cause?: unknown;
}

function unusable(
  shown: string,
  why: string,
  { remedy = `ls -l ${shellWord(shown)}`, where = `${shown}:1:1`, cause }: Trouble = {},
): AppError {
  return new AppError('E_PROMPT', `${shown} ${why}`, { facts: [`${where} ${why}`], remedy, cause });
}
