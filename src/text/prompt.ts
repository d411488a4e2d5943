export interface PromptFacts {
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly body: string;
    readonly acceptance: readonly string[];
  };
  readonly iteration: number;
  readonly earlier: { readonly commits: readonly string[]; readonly stat: string; readonly said: string } | null;
  readonly gateFailure: { readonly command: string; readonly tail: string } | null;
  /** What the last iteration left half-done in the worktree. */
  readonly halfDone: string | null;
  readonly gates: readonly string[];
  readonly promise: string;
}

/** What the agent is told. Sections are joined, never expanded: text of a task stays text, whatever it looks like. */
export function buildPrompt(facts: PromptFacts): string {
  const { task, earlier, gateFailure } = facts;
  const sections = [
    `# Task ${task.id}: ${task.title}`,
    task.body.trim(),
    task.acceptance.length === 0 ? '' : `## Acceptance\n${bullets(task.acceptance)}`,
    earlier === null ? '' : earlierSection(earlier),
    gateFailure === null
      ? ''
      : `## A gate failed after your last iteration\nCommand: ${gateFailure.command}\n\n${fenced(gateFailure.tail)}\n\nMake it pass.`,
    facts.halfDone === null
      ? ''
      : `## Your worktree was left half-done (${facts.halfDone})\nFinish or undo that first, and end on your own branch with everything committed.`,
    rules(facts),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function earlierSection(earlier: NonNullable<PromptFacts['earlier']>): string {
  const said = earlier.said.trim();
  return [
    '## What earlier iterations did',
    earlier.commits.length === 0 ? '' : bullets(earlier.commits),
    earlier.stat.trim() === '' ? '' : fenced(earlier.stat),
    said === '' ? '' : `The last one ended with:\n\n${fenced(said)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function rules(facts: PromptFacts): string {
  const gates =
    facts.gates.length === 0
      ? ''
      : `- These commands must pass:\n${facts.gates.map((gate) => `  - ${gate}`).join('\n')}\n`;
  return (
    `## Rules\n` +
    `- Work only in the current directory. It is a git worktree of your own on a branch of your own.\n` +
    `- Do this task and nothing else. Do not edit the task file: it is ticked for you when the work lands.\n` +
    `- Commit your work, or leave it uncommitted and it is committed for you. Do not push, merge, rebase or switch branches.\n` +
    gates +
    `- This is iteration ${facts.iteration}. When the task is complete and verified, end your answer with exactly:\n` +
    `<promise>${facts.promise}</promise>\n` +
    `- If it is not complete, do not print that line; say what is left.`
  );
}

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** A fence longer than any inside, so that quoted text cannot close it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
