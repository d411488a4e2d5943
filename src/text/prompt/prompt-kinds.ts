import { invariant } from '../../core/model/assert.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';
import { VARIABLE_NAMES } from './variables.ts';
import type { TemplateWord } from './variables.ts';

/** Around the part of each role, for an agent that works on conflicts and did not write the work. */
const MERGER_TEXT = `# Merge task {{task_id}}: {{task_title}}

This branch holds finished work that does not fit with what landed meanwhile. You did not write it; you make it fit. Add
nothing to it.

{{role}}

{{intents}}

{{half_done}}

{{last_failure}}

{{memories}}

{{rules}}

{{gates}}

{{verbs}}

{{guidance}}

## When you are done

This is iteration {{iteration}}. {{promise_rule}}
`;

const RESOLVER_TEXT = `## Your part: resolve the conflicts

Resolve them and do nothing else: change no file but those named here. Where the two sides cannot both be had, do not
choose; say so: \`ralph block "WHY"\`.

{{conflict_files}}

{{markers_left}}
`;

const TESTER_TEXT = `## Your part: make the gates green

The conflicts are resolved and no marker is left, but a gate is red. Each side was green alone, so look for what one side
changed and the other still expects. Often an edit of one side has to be repeated at places the other side added. Take
nothing away that either side wants, and weaken no test.

{{gate_failure}}
`;

const CLEANER_TEXT = `## Your part: clean up

The conflicts were worked on, but something was left behind that must not land. Put that right and change nothing else.

{{markers_left}}

{{strayed}}
`;

/** Also the place to start from for a template of one's own. */
const DEFAULT_TEMPLATE_TEXT = `# Task {{task_id}}: {{task_title}}

{{task_body}}

{{acceptance}}

{{dependencies}}

{{earlier}}

{{rework}}

{{gate_failure}}

{{half_done}}

{{last_failure}}

{{memories}}

{{other_tasks}}

{{others}}

{{foreseen}}

{{rules}}

{{gates}}

{{verbs}}

{{guidance}}

## When you are done

This is iteration {{iteration}}. {{promise_rule}}
`;

/** For the workers of `ralph orchestrate`: the test comes first. */
const TEST_FIRST_TEXT = DEFAULT_TEMPLATE_TEXT.replace(
  '{{rules}}',
  `## How you work
1. Understand: read the task, what it builds on, and the code and tests it touches. Run the tests once, to know that they pass.
2. Red: write the smallest test that fails because the task is not done. Run it and see it fail for that reason.
3. Green: write the least that makes it pass. Run all tests.
4. Tidy: make names and structure fit the code around them, with the tests green. Commit, and continue with the next test.
5. Check: run every gate below. Read your whole change once as its reviewer would, and take out what the task did not ask for.

{{rules}}`,
);

export const PROMPT_NAMES = ['iteration', 'orchestrate', 'merger', 'resolver', 'tester', 'cleaner'] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

interface PromptKind {
  /** Used where the user wrote none; also the place to start from. */
  readonly text: string;
  readonly template: Template;
  readonly words: readonly TemplateWord[];
  /** Without these an agent does not know what to do, or never gets to say that it did it; with what it would not be told. */
  readonly needed: readonly (readonly [TemplateWord, string])[];
}

const DONE = ['promise_rule', 'how to say that it is done'] as const;
const TITLE = ['task_title', 'which task it works on'] as const;

const TOLD = [TITLE, ['task_body', 'what the task says'], ['rework', 'why its work came back'], DONE] as const;

/** Every prompt there is, by the name of its file. */
export const PROMPT_KINDS: Readonly<Record<PromptName, PromptKind>> = {
  iteration: kind(DEFAULT_TEMPLATE_TEXT, TOLD),
  orchestrate: kind(TEST_FIRST_TEXT, TOLD),
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
