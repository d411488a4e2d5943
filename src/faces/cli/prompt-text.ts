import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { cleanLine } from '../../text/trackers/clean.ts';
import type { Call } from './handler.ts';

const BYTES_MAX = 1024 * 1024;
const TITLE_CHARS_MAX = 80;
const REMEDY = 'ralph run "what should be done"';

/** The call is about one prompt, not about the task file. */
export function isForPrompt({ args, flags }: Call): boolean {
  const names = ['prompt', 'promptFile', 'continue', 'loopId', 'replay', 'worktree', 'exclusive', 'record'];
  return args.length > 0 || names.some((name) => flags[name] !== undefined);
}

/** What the agent is asked to do: words of the command line, or a file. Null: neither was given. */
export function readPrompt(call: Call): string | null {
  const words = call.args.length > 0 ? call.args.join(' ') : call.flags['prompt'];
  const file = call.flags['promptFile'];
  if (words !== undefined && file !== undefined)
    throw new AppError('E_USAGE', 'a prompt is given both as words and as a file', { remedy: REMEDY });
  if (typeof file === 'string') return notEmpty(readPromptFile(call, file), file);
  return typeof words === 'string' ? notEmpty(words, 'the command line') : null;
}

/** A prompt in one line, for lists. */
export function titleOf(prompt: string): string {
  const line = prompt.split('\n').find((one) => one.trim() !== '') ?? '';
  const title = cleanLine(line.replace(/^#+\s*/, '')).trim();
  return title.length > TITLE_CHARS_MAX ? `${title.slice(0, TITLE_CHARS_MAX - 1)}…` : title;
}

export const hasFile = (call: Call, name: string): boolean =>
  lstatSync(resolve(call.cwd, name), { throwIfNoEntry: false })?.isFile() === true;

function notEmpty(text: string, where: string): string {
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw new AppError('E_PROMPT', `the prompt in ${where} has more than 1 MB`, { remedy: REMEDY });
  if (text.trim() === '') throw new AppError('E_USAGE', `the prompt in ${where} is empty`, { remedy: REMEDY });
  return text;
}

function readPromptFile(call: Call, name: string): string {
  const wrong = (why: string): AppError =>
    new AppError('E_PROMPT', `${name}: ${why}`, { remedy: `ls -l ${shellWord(name)}` });
  try {
    // Never waits for a pipe nobody writes to.
    const fd = openSync(resolve(call.cwd, name), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw wrong('not a plain file');
      if (stat.size > BYTES_MAX) throw wrong('more than 1 MB');
      return readFileSync(fd, 'utf8');
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw wrong((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : 'cannot be read');
  }
}
