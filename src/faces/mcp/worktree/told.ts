import type { AppError } from '../../../core/model/errors.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import type { Answer } from '../../verbs/answer.ts';

/** What every worktree tool answers, in the words its callers know. */
export interface Told {
  readonly path?: string | null;
  readonly branch?: string | null;
  readonly isSetUp?: boolean;
  readonly messages?: readonly string[];
  readonly next?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The answer is its own text: a client that shows only words shows all of it. */
export function told({
  path = null,
  branch = null,
  isSetUp = true,
  messages = [],
  next = [],
  more = {},
}: Told): Answer {
  return answerOf({
    success: true,
    worktree_path: path,
    branch,
    setup_complete: isSetUp,
    setup_messages: messages.map(cleanText),
    next_steps: next.map(cleanText),
    ...more,
  });
}

export function refusal(error: AppError): Answer {
  return answerOf({
    success: false,
    worktree_path: null,
    branch: null,
    setup_complete: false,
    setup_messages: error.facts.map(cleanLine),
    next_steps: error.remedy === null ? [] : [cleanText(error.remedy)],
    error: `${error.code}: ${cleanText(error.message)}`,
  });
}

const answerOf = (data: Readonly<Record<string, unknown>>): Answer => ({ text: JSON.stringify(data, null, 2), data });
