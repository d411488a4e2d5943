import {
  promiseRule,
  otherTasksSection,
  acceptanceSection,
  dependenciesSection,
  earlierSection,
  gateFailureSection,
  gatesSection,
  guidanceSection,
  halfDoneSection,
  lastFailureSection,
  memoriesSection,
  othersSection,
  rulesSection,
  VERBS,
} from './sections.ts';
import {
  conflictFilesSection,
  foreseenSection,
  intentsSection,
  markersLeftSection,
  reworkSection,
  strayedSection,
} from './rework-sections.ts';
import type { PromptFacts } from './facts.ts';

/** What a template may name. Words stand inside a line; the others are a heading with text below, or nothing at all. */
export const VARIABLES = {
  task_id: ({ task }) => task.id,
  task_title: ({ task }) => task.title,
  task_body: ({ task }) => task.body,
  acceptance: acceptanceSection,
  dependencies: dependenciesSection,
  earlier: earlierSection,
  rework: reworkSection,
  gate_failure: gateFailureSection,
  half_done: halfDoneSection,
  last_failure: lastFailureSection,
  guidance: guidanceSection,
  memories: memoriesSection,
  others: othersSection,
  other_tasks: otherTasksSection,
  foreseen: foreseenSection,
  gates: gatesSection,
  rules: rulesSection,
  verbs: () => VERBS,
  iteration: ({ iteration }) => String(iteration),
  promise_rule: ({ signal, promise }) => promiseRule(signal, promise),
  conflict_files: conflictFilesSection,
  intents: intentsSection,
  markers_left: markersLeftSection,
  strayed: strayedSection,
} as const satisfies Readonly<Record<string, (facts: PromptFacts) => string>>;

export type VariableName = keyof typeof VARIABLES;
export const VARIABLE_NAMES = Object.keys(VARIABLES) as readonly VariableName[];

/** What a template may hold: a variable, or in one of them the place of another template. */
export type TemplateWord = VariableName | 'role';
