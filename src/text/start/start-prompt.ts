import type { Workflow } from './workflow.ts';

export interface StartOrder {
  readonly workflow: Exclude<Workflow, 'simple'>;
  readonly feature: string;
  /** Where the plan is or goes, relative to the worktree. */
  readonly plan: string;
  /** What is wanted, or the specification itself; byte for byte part of the prompt. */
  readonly text: string;
  /** The file the text came from, as the user named it; null: they typed it. */
  readonly spec: string | null;
  /** Work on nothing else. */
  readonly workOn: readonly string[];
  /** Leave this alone. */
  readonly skip: readonly string[];
}

/** What an agent that a person talks to is told first; null: nothing. */
export function openingWords(text: string | null, bounds: Pick<StartOrder, 'workOn' | 'skip'>): string | null {
  const parts = [rules(bounds), text ?? ''].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}

/** What the agent is asked to do. Its first line names the loop; the user's own text stands last and is not touched. */
export function startPrompt(order: StartOrder): string {
  const parts = [OPENING[order.workflow](order), rules(order), source(order)];
  return parts.filter((part) => part !== '').join('\n\n');
}

const OPENING: Readonly<Record<StartOrder['workflow'], (order: StartOrder) => string>> = {
  'plan-only': ({ feature, plan }) => `# ${feature}

Write a plan for the work described at the end. Change nothing but the plan.

${planSteps(plan)}

You are done when the plan is written and a person who never saw this text could carry it out from that file alone.`,
  'implement-only': ({ feature, spec }) => `# ${feature}

Carry out the specification at the end, all of it. It comes from ${spec === null ? 'the person who started you' : `\`${spec}\``}.

${workSteps('the specification')}

You are done when everything it asks for is there and tested.`,
  'plan-and-implement': ({ feature, plan }) => `# ${feature}

First a plan for the work described at the end, then the work itself. If \`${plan}\` already exists, continue from it.

${planSteps(plan)}

When the plan is written:

${workSteps('the plan')}
- Where the work teaches you better, correct the plan.

You are done when everything in the plan is there and tested.`,
};

const planSteps = (plan: string): string => `- Read what the repository already has that bears on it.
- Write the plan to \`${plan}\`: what is wanted and what is not, the steps in order, and what may go wrong.
- Each step fits one commit. It names the files it touches and how one sees that it works.
- What only a person can decide is a question at the end of the plan, with the answer you assume.`;

const workSteps = (source: string): string => `- Take ${source} step by step, the first open one first.
- Each step has its tests and leaves everything working.
- See what is already there before you begin: an earlier iteration may have done some of it.`;

function rules({ workOn, skip }: Pick<StartOrder, 'workOn' | 'skip'>): string {
  const lines = [
    ...workOn.map((text) => `- Work only on this: ${text}`),
    ...skip.map((text) => `- Leave this out: ${text}`),
  ];
  return lines.length === 0 ? '' : `## Bounds\n\n${lines.join('\n')}`;
}

const source = ({ workflow, text }: StartOrder): string =>
  `## ${workflow === 'implement-only' ? 'The specification' : 'The work'}\n\n${text}`;
