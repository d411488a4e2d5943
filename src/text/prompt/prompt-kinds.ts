import { invariant } from '../../core/model/assert.ts';
import { DEFAULT_TEMPLATE_TEXT } from './default-template.ts';
import { CLEANER_TEXT, MERGER_TEXT, RESOLVER_TEXT, TESTER_TEXT } from './role-templates.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';
import { VARIABLE_NAMES } from './variables.ts';
import type { TemplateWord } from './variables.ts';

export const PROMPT_NAMES = ['iteration', 'merger', 'resolver', 'tester', 'cleaner'] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

export interface PromptKind {
  /** Used where the user wrote none; also the place to start from. */
  readonly text: string;
  readonly template: Template;
  readonly words: readonly TemplateWord[];
  /** Without these an agent does not know what to do, or never gets to say that it did it; with what it would not be told. */
  readonly needed: readonly (readonly [TemplateWord, string])[];
}

const DONE = ['promise_rule', 'how to say that it is done'] as const;
const TITLE = ['task_title', 'which task it works on'] as const;

/** Every prompt there is, by the name of its file. */
export const PROMPT_KINDS: Readonly<Record<PromptName, PromptKind>> = {
  iteration: kind(DEFAULT_TEMPLATE_TEXT, [
    TITLE,
    ['task_body', 'what the task says'],
    ['rework', 'why its work came back'],
    DONE,
  ]),
  merger: kind(
    MERGER_TEXT,
    [['role', 'what its part is'], ['intents', 'what both sides want'], DONE],
    [...VARIABLE_NAMES, 'role'],
  ),
  resolver: kind(RESOLVER_TEXT, [['conflict_files', 'which files to resolve']]),
  tester: kind(TESTER_TEXT, [['gate_failure', 'which gate is red']]),
  cleaner: kind(CLEANER_TEXT, [
    ['markers_left', 'where markers are left'],
    ['strayed', 'which changes do not belong there'],
  ]),
};

function kind(text: string, needed: PromptKind['needed'], words: readonly TemplateWord[] = VARIABLE_NAMES): PromptKind {
  const read = parseTemplate(text, words);
  invariant('template' in read, 'a default template has no problems');
  return { text, template: read.template, words, needed };
}
