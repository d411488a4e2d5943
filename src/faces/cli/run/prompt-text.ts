import { dirname, resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { FILTER_KEYS } from '../../../core/model/task.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/trackers/clean.ts';
import { readGivenText } from '../../../world/os/given-text.ts';
import { isPlainFile } from '../../../world/os/read-if-there.ts';
import type { Call } from '../../call/handler.ts';

const BYTES_MAX = 1024 * 1024;
const TITLE_CHARS_MAX = 80;
/** More is not printed to be pasted. */
const WORDS_MAX = 400;
/** As everywhere: `-P -`. */
const STDIN = '-';
const PROMPT_FILE = 'PROMPT.md';
const REMEDY = 'ralph run "what should be done"';

/** The call is about one prompt, not about the task file. */
export function isForPrompt({ args, flags }: Call): boolean {
  const names = ['prompt', 'promptFile', 'continue', 'loopId', 'worktree', 'exclusive', 'wait'];
  return args.length > 0 || names.some((name) => flags[name] !== undefined);
}

/** What the agent is asked to do: words of the command line, a file, or the file people keep it in. Null: none of them is there. */
export function readPrompt(call: Call): string | null {
  const { args, flags } = call;
  refuseChoice(call);
  const file = flags['promptFile'];
  const given = [args.length > 0, flags['prompt'] !== undefined, file !== undefined];
  if (given.filter(Boolean).length > 1)
    throw new AppError('E_USAGE', 'a prompt is given both as words and by -p or -P: which of them?', {
      remedy: REMEDY,
    });
  if (typeof file === 'string') return notEmpty(readPromptFile(call, file), file === STDIN ? 'standard input' : file);
  const words = args.length > 0 ? args.join(' ') : flags['prompt'];
  if (typeof words === 'string') return notEmpty(words, 'the command line');
  return hasPromptFile(call) ? notEmpty(readPromptFile(call, PROMPT_FILE), PROMPT_FILE) : null;
}

/** How to give the same prompt once more. */
export function promptWords({ args, flags }: Call, prompt: string): string {
  const file = flags['promptFile'];
  if (prompt.length > WORDS_MAX && file === undefined) return '"what should be done"';
  if (typeof file === 'string') return `-P ${shellWord(file)}`;
  if (flags['prompt'] !== undefined) return `-p ${shellWord(prompt)}`;
  return args.length > 0 ? shellWord(args.join(' ')) : '';
}

/** A prompt in one line, for lists. */
export function titleOf(prompt: string): string {
  const line = prompt.split('\n').find((one) => one.trim() !== '') ?? '';
  const title = cleanLine(line.replace(/^#+\s*/, '')).trim();
  return title.length > TITLE_CHARS_MAX ? `${title.slice(0, TITLE_CHARS_MAX - 1)}…` : title;
}

/** Without words and without a task file this is the prompt. */
export const hasPromptFile = (call: Call): boolean => isPlainFile(resolve(call.cwd, PROMPT_FILE));

/** What was chosen from the task file would silently not be what is worked on. */
function refuseChoice({ flags }: Call): void {
  for (const name of ['only', 'task', ...FILTER_KEYS.filter((key) => key !== 'id')]) {
    const [value] = [flags[name] ?? []].flat();
    if (value === undefined) continue;
    throw new AppError('E_USAGE', `--${name} chooses from the task file, and a single loop has none`, {
      remedy: `ralph run --${name} ${shellWord(String(value))}`,
    });
  }
}

function notEmpty(text: string, where: string): string {
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw new AppError('E_PROMPT', `the prompt in ${where} has more than 1 MB`, { remedy: REMEDY });
  if (text.trim() === '') throw new AppError('E_USAGE', `the prompt in ${where} is empty`, { remedy: REMEDY });
  return text;
}

function readPromptFile(call: Call, name: string): string {
  if (name === '') throw new AppError('E_USAGE', '-P names no file', { remedy: REMEDY });
  const isStdin = name === STDIN;
  const path = resolve(call.cwd, name);
  const wrong = (why: string, remedy = `ls -l ${shellWord(name)}`): AppError =>
    new AppError('E_PROMPT', `${isStdin ? 'standard input' : name}: ${why}`, { remedy });
  const given = readGivenText(isStdin ? null : path, BYTES_MAX);
  if ('text' in given) return given.text;
  switch (given.fault) {
    case 'missing':
      throw wrong('no such file', `ls ${shellWord(dirname(path))}`);
    case 'no-file':
      throw wrong('not a plain file; from a pipe: -P -');
    case 'too-large':
      throw wrong('more than 1 MB', isStdin ? REMEDY : `ralph run ${shellWord(`do what ${name} says`)}`);
    case 'not-text':
      throw wrong('not text in UTF-8', isStdin ? REMEDY : `file ${shellWord(name)}`);
    case 'unreadable':
      throw wrong('cannot be read');
  }
}
