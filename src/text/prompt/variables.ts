import type { PromptFacts } from './facts.ts';
import { promiseRule } from './promise-rule.ts';
import {
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
  RULES,
  VERBS,
} from './sections.ts';

/** What a template may name. Words stand inside a line; the others are a heading with text below, or nothing at all. */
export const VARIABLES = {
  task_id: ({ task }) => task.id,
  task_title: ({ task }) => task.title,
  task_body: ({ task }) => task.body,
  acceptance: acceptanceSection,
  dependencies: dependenciesSection,
  earlier: earlierSection,
  gate_failure: gateFailureSection,
  half_done: halfDoneSection,
  last_failure: lastFailureSection,
  guidance: guidanceSection,
  memories: memoriesSection,
  others: othersSection,
  gates: gatesSection,
  rules: () => RULES,
  verbs: () => VERBS,
  iteration: ({ iteration }) => String(iteration),
  promise_rule: ({ signal, promise }) => promiseRule(signal, promise),
} as const satisfies Readonly<Record<string, (facts: PromptFacts) => string>>;

export type VariableName = keyof typeof VARIABLES;
export const VARIABLE_NAMES = Object.keys(VARIABLES) as readonly VariableName[];

export const isVariable = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name);
