import { cleanLine } from './screen/clean.ts';

const SUBJECT_CHARS_MAX = 100;

export interface LandingFacts {
  readonly task: string;
  readonly title: string;
  readonly loop: string;
  readonly head: string;
  readonly attempt: number;
}

/** Trailers carry what the log knows, so that the history alone tells what landed for which task. */
export function landingMessage(facts: LandingFacts): string {
  const trailers = [
    `Ralph-Task: ${cleanLine(facts.task)}`,
    `Ralph-Loop: ${facts.loop}`,
    `Ralph-Head: ${facts.head}`,
    `Ralph-Attempt: ${facts.attempt}`,
  ];
  return `${subject('Land', facts.title)}\n\n${trailers.join('\n')}\n`;
}

export function upstreamMessage(target: string): string {
  return `Merge new commits of ${cleanLine(target)}\n\nRalph-Upstream: ${cleanLine(target)}\n`;
}

/** For what an agent changed and did not commit itself. */
export function leftoversMessage(task: string, title: string, loop: string, n: number): string {
  return `${subject('Work on', title)}\n\nRalph-Task: ${cleanLine(task)}\nRalph-Loop: ${loop}\nRalph-Iteration: ${n}\n`;
}

function subject(verb: string, title: string): string {
  const line = `${verb} ${cleanLine(title)}`;
  return line.length <= SUBJECT_CHARS_MAX ? line : `${line.slice(0, SUBJECT_CHARS_MAX - 1)}…`;
}
