import { cleanLine } from './screen/clean.ts';

const SUBJECT_CHARS_MAX = 100;

export interface LandingFacts {
  readonly task: string;
  readonly title: string;
  readonly loop: string;
  readonly head: string;
  readonly attempt: number;
}

/** The trailer by which a landing is known again. Only landings carry it: a branch's own commits may come onto the target too. */
export const LOOP_TRAILER = 'Ralph-Loop';

/** Trailers carry what the log knows, so that the history alone tells what landed for which task. */
export function landingMessage(facts: LandingFacts): string {
  return withTrailers(subject('Land', facts.title), {
    'Ralph-Task': facts.task,
    [LOOP_TRAILER]: facts.loop,
    'Ralph-Head': facts.head,
    'Ralph-Attempt': String(facts.attempt),
  });
}

export function upstreamMessage(target: string): string {
  return withTrailers(`Merge new commits of ${cleanLine(target)}`, { 'Ralph-Upstream': target });
}

/** For what an agent changed and did not commit itself. */
export function leftoversMessage(title: string, loop: string, n: number): string {
  return withTrailers(subject('Work on', title), { 'Ralph-Iteration': `${loop} ${n}` });
}

/** A message whose last paragraph git reads as trailers: `Key: value`, one line each. */
export function withTrailers(message: string, trailers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${cleanLine(value).replaceAll(/\s+/g, ' ')}`);
  return `${message.trimEnd()}\n\n${lines.join('\n')}\n`;
}

function subject(verb: string, title: string): string {
  const line = `${verb} ${cleanLine(title)}`;
  return line.length <= SUBJECT_CHARS_MAX ? line : `${line.slice(0, SUBJECT_CHARS_MAX - 1)}…`;
}
