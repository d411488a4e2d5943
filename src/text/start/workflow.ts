import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { nearest } from '../config/nearest.ts';
import { quoted } from '../config/quoted.ts';

/** What is done in a new worktree. */
export const WORKFLOWS = ['simple', 'plan-only', 'implement-only', 'plan-and-implement'] as const;
export type Workflow = (typeof WORKFLOWS)[number];

/** What the words behind the name of a feature ask for. */
export type Wish =
  | { readonly workflow: 'simple' }
  | { readonly workflow: 'plan-only' | 'plan-and-implement'; readonly text: string }
  /** Null: the plan that was written for this feature. */
  | { readonly workflow: 'implement-only'; readonly spec: string | null };

const isWorkflow = (word: string): word is Workflow => (WORKFLOWS as readonly string[]).includes(word);
const isMarkdown = (word: string): boolean => /\.(?:md|markdown)$/i.test(word);

/**
 * A workflow by its name, else a file of Markdown is carried out, a text is planned and carried out, and no word at all
 * is a worktree with an agent in it. One word that is neither is too little to guess from.
 */
export function readWish(feature: string, words: readonly string[], isFile: (path: string) => boolean): Wish {
  const [first, ...rest] = words;
  if (first === undefined) return { workflow: 'simple' };
  if (isWorkflow(first)) return named(feature, first, rest, isFile);
  const [only] = words.length === 1 ? words : [];
  if (only !== undefined && isMarkdown(only) && (isFile(only) || !/\s/.test(only)))
    return carryOut(feature, only, isFile);
  const text = words.join(' ');
  if (/\S\s+\S/.test(text)) return { workflow: 'plan-and-implement', text };
  throw doubtful(feature, first);
}

function named(feature: string, workflow: Workflow, words: readonly string[], isFile: (path: string) => boolean): Wish {
  const text = words.join(' ');
  const says = `ralph start ${shellWord(feature)} ${workflow}`;
  if (workflow === 'simple') {
    if (text.trim() !== '')
      throw new AppError('E_USAGE', 'simple takes no text: you talk to the agent yourself', { remedy: says });
    return { workflow };
  }
  if (workflow === 'implement-only')
    return text.trim() === '' ? { workflow, spec: null } : carryOut(feature, text, isFile);
  if (text.trim() === '')
    throw new AppError('E_USAGE', `${workflow} needs a text that says what is wanted`, {
      remedy: `${says} "what is wanted"`,
    });
  return { workflow, text };
}

function carryOut(feature: string, spec: string, isFile: (path: string) => boolean): Wish {
  if (isFile(spec)) return { workflow: 'implement-only', spec };
  throw new AppError('E_USAGE', `there is no file ${quoted(spec)} to carry out`, {
    facts: ['a text instead of a file is planned first'],
    remedy: `ralph start ${shellWord(feature)} plan-and-implement "what is wanted"`,
  });
}

function doubtful(feature: string, word: string): AppError {
  const close = nearest(word, WORKFLOWS);
  const workflow = close ?? 'plan-and-implement';
  return new AppError('E_USAGE', `${quoted(word)} is neither a workflow, a Markdown file nor a text of several words`, {
    facts: [`workflows: ${WORKFLOWS.join(', ')}`],
    remedy:
      close === null
        ? `ralph start ${shellWord(feature)} ${workflow} ${shellWord(word)}`
        : `ralph start ${shellWord(feature)} ${workflow}`,
  });
}
