import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { nearest } from '../config/nearest.ts';
import { quoted } from '../config/quoted.ts';

/** What is done in a new worktree. */
export const WORKFLOWS = ['simple', 'plan-only', 'implement-only', 'plan-and-implement'] as const;
export type Workflow = (typeof WORKFLOWS)[number];

/** What is to be done: a file that says it, or what the user typed. */
export type Source = { readonly spec: string } | { readonly text: string };

/** What the words behind the name of a feature ask for. */
export type Wish =
  /** Null: nothing is said to the agent beforehand. */
  | { readonly workflow: 'simple'; readonly source: Source | null }
  | { readonly workflow: 'plan-only' | 'plan-and-implement'; readonly source: Source }
  /** Null: the plan that was written for this feature. */
  | { readonly workflow: 'implement-only'; readonly source: Source | null };

const isWorkflow = (word: string): word is Workflow => (WORKFLOWS as readonly string[]).includes(word);
const isMarkdown = (word: string): boolean => /\.(?:md|markdown)$/i.test(word);

/**
 * A workflow by its name, else a file is carried out, a text is planned and carried out, and no word at all is a worktree with an
 * agent in it. One word that is neither is too little to guess from.
 */
export function readWish(feature: string, words: readonly string[], isFile: (path: string) => boolean): Wish {
  const [first, ...rest] = words;
  if (first === undefined) return { workflow: 'simple', source: null };
  if (isWorkflow(first)) return named(feature, first, rest.join(' '), isFile);
  const text = words.join(' ');
  const source = sourceOf(feature, text, isFile);
  if (source === null) throw doubtful(feature, first);
  return 'spec' in source ? { workflow: 'implement-only', source } : { workflow: 'plan-and-implement', source };
}

function named(feature: string, workflow: Workflow, text: string, isFile: (path: string) => boolean): Wish {
  const says = `ralph start ${shellWord(feature)} ${workflow}`;
  const source = sourceOf(feature, text, isFile);
  if (workflow === 'simple') return { workflow, source: source ?? (text.trim() === '' ? null : { text }) };
  if (workflow === 'implement-only') {
    if (source === null && text.trim() !== '') throw noFile(feature, text);
    return { workflow, source };
  }
  if (text.trim() === '')
    throw new AppError('E_USAGE', `${workflow} needs a file or a text that says what is wanted`, {
      remedy: `${says} "what is wanted"`,
    });
  return { workflow, source: source ?? { text } };
}

/** A file, by its name, or a text of several words; null: one word that is no file. */
function sourceOf(feature: string, text: string, isFile: (path: string) => boolean): Source | null {
  // A word that stands for a thing may be the name of a file by chance.
  if (/[\s./]/.test(text) && isFile(text)) return { spec: text };
  if (/\S\s+\S/.test(text)) return { text };
  if (isMarkdown(text)) throw noFile(feature, text);
  return null;
}

function noFile(feature: string, spec: string): AppError {
  return new AppError('E_USAGE', `there is no file ${quoted(spec)} to carry out`, {
    facts: ['a text of several words would be taken as it is'],
    remedy: `ralph start ${shellWord(feature)} plan-and-implement "what is wanted"`,
  });
}

function doubtful(feature: string, word: string): AppError {
  const close = nearest(word, WORKFLOWS);
  const workflow = close ?? 'plan-and-implement';
  return new AppError('E_USAGE', `${quoted(word)} is neither a workflow, a file nor a text of several words`, {
    facts: [`workflows: ${WORKFLOWS.join(', ')}`],
    remedy:
      close === null
        ? `ralph start ${shellWord(feature)} ${workflow} ${shellWord(word)}`
        : `ralph start ${shellWord(feature)} ${workflow}`,
  });
}
