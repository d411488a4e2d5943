import type { BaseFailure, PromptFacts } from './facts.ts';
import { bullets, fenced, names, quoted, section } from './markdown.ts';
import type { CompletionSignal } from '../../core/model/settings.ts';

const COMMIT_CHARS = 10;

const RULES = `## Rules
- Work only in the current directory. It is a git worktree of your own on a branch of your own.
- Do this task and nothing else. Do not edit the task file: it is ticked for you when the work lands.
- Commit your work, or leave it uncommitted and it is committed for you. Do not push, merge, rebase or switch branches.`;

const IN_PLACE_RULES = `## Rules
- Work only in the current directory. It is the user's own checkout: files that are changed already are theirs, so leave them as they are.
- Do this and nothing else.
- Leave your work uncommitted: it is committed and tested for you. Do not commit, stash, reset, clean, push, merge, rebase or switch branches.`;

export const rulesSection = ({ inPlace }: PromptFacts): string => (inPlace === true ? IN_PLACE_RULES : RULES);

export const VERBS = `## Commands for you
- \`ralph progress "TEXT"\`: tell how far you are.
- \`ralph block "WHY"\`: you cannot continue without a person. Say what you need, then end.
- \`ralph wait ID...\`: this task needs other tasks that have not landed. Change nothing, then end.
- \`ralph memory add "TEXT"\`: what later iterations and other loops should know. \`ralph memory search WORDS\` finds it.
- \`ralph task add "TITLE"\`: work you found that is not part of this task.
- \`ralph done "SUMMARY"\`: the task is complete and verified.`;

export function acceptanceSection({ task }: PromptFacts): string {
  return section('Acceptance', bullets(task.acceptance));
}

export function dependenciesSection({ dependencies }: PromptFacts): string {
  const lines = dependencies.map(({ id, title, commit }) => `${id}: ${title} (${commit.slice(0, COMMIT_CHARS)})`);
  return section('What this task builds on', bullets(lines), 'These have landed and are in your worktree:');
}

export function earlierSection({ earlier }: PromptFacts): string {
  if (earlier === null) return '';
  const said = earlier.said.trim();
  const parts = [
    '## What earlier iterations did',
    bullets(earlier.commits),
    earlier.stat.trim() === '' ? '' : fenced(earlier.stat),
    said === '' ? '' : `The last one ended with:\n\n${fenced(said)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function gateFailureSection({ gateFailure, rework, baseFailure = null }: PromptFacts): string {
  const sections = [baseSection(baseFailure)];
  if (gateFailure !== null) {
    const { command, tail } = gateFailure;
    const heading = rework === null ? 'A gate failed after your last iteration' : 'A gate is red';
    sections.push(`## ${heading}\nCommand: ${command}\n\n${fenced(tail)}\n\nMake it pass.`);
  }
  return sections.filter((one) => one !== '').join('\n\n');
}

/** Nothing can land on a target that is red, so mending that comes before, or is, the task. */
function baseSection(failure: BaseFailure | null): string {
  if (failure === null) return '';
  const { target, command, tail, likely } = failure;
  return [
    `## ${target} itself fails its gates\nWithout any of your work, this command fails on ${target}: ${command}`,
    fenced(tail),
    bullets(likely.map((one) => `Likely cause: ${one}`)),
    `Nothing lands until the gates pass, so make them pass as part of this task. If only a person can mend it, say so: \`ralph block "WHY"\`.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function halfDoneSection({
  halfDone,
  hookSlip = null,
  dropped = null,
  omitted = null,
  setupFailed = null,
}: PromptFacts): string {
  const sections: string[] = [];
  if (halfDone !== null)
    sections.push(
      `## Your worktree was left half-done (${halfDone})\nFinish or undo that first, and end on your own branch with everything committed.`,
    );
  if (hookSlip !== null)
    sections.push(
      `## A hook went wrong when you committed\n${fenced(hookSlip)}\n\nNothing of your work is lost. What you leave uncommitted is committed for you.`,
    );
  if (dropped !== null)
    sections.push(
      `## The task file is not yours to change\nOf your last iteration ${dropped}. Do the work; that is all that counts.`,
    );
  if (omitted !== null)
    sections.push(
      `## Files left out of your work\nIn your last iteration ${omitted}. They are still here and will not land. What tools made belongs in .gitignore. What the task really needs you can commit yourself: then a person decides whether your work lands.`,
    );
  if (setupFailed !== null)
    sections.push(
      `## Your worktree is not fully set up\nBefore you started, this command failed here: ${setupFailed.command}\n\n${fenced(setupFailed.tail)}\n\nWhat it installs may be missing.`,
    );
  return sections.join('\n\n');
}

export function lastFailureSection({ lastFailure }: PromptFacts): string {
  if (lastFailure === null) return '';
  return `## Your last run broke off\n${fenced(lastFailure)}\n\nSee what is already there, and continue from it.`;
}

export function guidanceSection({ guidance }: PromptFacts): string {
  const said = guidance.map((text) => `The user says:\n${quoted(text)}`);
  return section(
    'What the user says',
    said.join('\n\n'),
    'It counts for more than anything above. The newest is last.',
  );
}

export function memoriesSection({ memories }: PromptFacts): string {
  return section(
    'Memories',
    bullets(memories),
    'Noted by the user or, where it says so, by loops; not checked, and perhaps out of date:',
  );
}

export function othersSection({ others }: PromptFacts): string {
  return section(
    'Files other loops are changing now',
    names(others.map(({ path, task }) => `${path} (${task})`)),
    'Leave them alone where you can; your work is merged with theirs:',
  );
}

/** What may come without this agent's doing, and how to wait for it. */
export function otherTasksSection({ otherTasks = null }: PromptFacts): string {
  if (otherTasks === null) return '';
  const { open, landed } = otherTasks;
  const news =
    landed === null || landed.commits.length === 0
      ? []
      : [
          '## What landed since your last iteration',
          bullets(landed.commits),
          landed.stat.trim() === '' ? '' : fenced(landed.stat),
        ];
  const others =
    open.length === 0
      ? []
      : [
          '## Other open tasks',
          names(open.map(({ id, title }) => `${id}: ${title}`)),
          `If this task needs what one of them makes and it is not here, do not make it yourself: change nothing, and say which with \`ralph wait ID...\` or by ending your answer with exactly:\n<promise>WAITING: ID, ID</promise>\nYou are asked again when those have landed.`,
        ];
  return [...news, ...others].filter((part) => part !== '').join('\n\n');
}

export function gatesSection({ gates }: PromptFacts): string {
  return section('Gates', bullets(gates), 'These commands must pass:');
}

/**
 * How to say that the task is done. The signal never stands last: a client that prints its prompt would otherwise end with it.
 */
export function promiseRule(signal: CompletionSignal, promise: string): string {
  switch (signal) {
    case 'promise':
      return lastLine(`<promise>${promise}</promise>`);
    case 'loop_complete':
      return lastLine('LOOP_COMPLETE');
  }
}

function lastLine(line: string): string {
  return (
    `When the task is complete and verified, end your answer with exactly:\n${line}\n` +
    `If it is not complete, do not print that line; say what is left.`
  );
}
