import { renderLandingTemplate } from './config/landing-template.ts';
import { cleanLine, cleanText, cutChars } from './screen/clean.ts';

const SUBJECT_CHARS_MAX = 100;
const CO_AUTHORS_MAX = 20;

export interface LandingFacts {
  readonly task: string;
  readonly title: string;
  /** The task file's path. */
  readonly tracker: string;
  readonly loop: string;
  readonly branch: string;
  readonly head: string;
  readonly agent: string;
  readonly attempt: number;
  readonly iterations: number;
  readonly target: string;
  /** The user's own wording; without one: `Land <title>`. */
  readonly template?: string | null;
  /** The commit that this one undoes. */
  readonly undoes?: string;
  /** `Name <mail>` each. */
  readonly coAuthors?: readonly string[];
}

/** The trailers by which a landing is known again. Only landings carry them: a branch's own commits may come onto the target too. */
export const LOOP_TRAILER = 'Ralph-Loop';
export const TASK_TRAILER = 'Ralph-Task';
export const HEAD_TRAILER = 'Ralph-Head';
export const TRACKER_TRAILER = 'Ralph-Tracker';
export const CO_AUTHOR_TRAILER = 'Co-authored-by';

/** Trailers carry what the log knows, so that the history alone tells what landed for which task. */
export function landingMessage(facts: LandingFacts): string {
  return withTrailers(worded(facts) ?? ownWords(facts), {
    [TASK_TRAILER]: facts.task,
    [LOOP_TRAILER]: facts.loop,
    [TRACKER_TRAILER]: facts.tracker,
    [HEAD_TRAILER]: facts.head,
    'Ralph-Attempt': String(facts.attempt),
    [CO_AUTHOR_TRAILER]: coAuthors(facts.coAuthors ?? []),
  });
}

const ownWords = ({ title, undoes }: LandingFacts): string =>
  undoes === undefined ? subject('Land', title) : `${shorten(cleanLine(title))}\n\nThis reverts commit ${undoes}.`;

/** Each person once, whatever the name is spelled like; what is not `Name <mail>` is left out. */
export function coAuthors(texts: readonly string[]): readonly string[] {
  const byMail = new Map<string, string>();
  for (const text of texts) {
    const [, name, mail] = /^([^<>]+)<([^<>\s]+@[^<>\s]+)>$/.exec(cleanLine(text)) ?? [];
    if (name === undefined || mail === undefined || name.trim() === '' || byMail.size >= CO_AUTHORS_MAX) continue;
    if (!byMail.has(mail.toLowerCase())) byMail.set(mail.toLowerCase(), `${name.trim()} <${mail}>`);
  }
  return [...byMail.values()];
}

/** The paragraph of trailers that closes a message of ours. */
export function trailersOf(message: string): string {
  return message.slice(message.trimEnd().lastIndexOf('\n\n') + 2);
}

/** A message somebody else wrote, unable to pass for a landing of ours. */
export function withoutOurTrailers(message: string): string {
  return message.replaceAll(/^[^\S\n]*Ralph-(?=[\w-]+[^\S\n]*:)/gim, '> $&');
}

export function upstreamMessage(target: string): string {
  return withTrailers(`Merge new commits of ${cleanLine(target)}`, { 'Ralph-Upstream': target });
}

/** For main brought into a loop's own branch; the files still to be resolved are named where somebody will look. */
export function mergeMainMessage(target: string, loop: string, conflicts: readonly string[]): string {
  const open =
    conflicts.length === 0 ? '' : `\n\nTo be resolved:\n${conflicts.map((path) => `- ${cleanLine(path)}`).join('\n')}`;
  return withTrailers(`Merge ${cleanLine(target)}${open}`, { 'Ralph-Merge': loop });
}

/** For what an agent changed and did not commit itself. */
export function leftoversMessage(title: string, loop: string, n: number): string {
  return withTrailers(subject('Work on', title), { 'Ralph-Iteration': `${loop} ${n}` });
}

/** A message whose last paragraph git reads as trailers: `Key: value`, one line each. */
export function withTrailers(message: string, trailers: Readonly<Record<string, string | readonly string[]>>): string {
  const lines = Object.entries(trailers).flatMap(([key, values]) =>
    (typeof values === 'string' ? [values] : values).map((value) => trailer(key, value)),
  );
  return `${message.trimEnd()}\n\n${lines.join('\n')}\n`;
}

const trailer = (key: string, value: string): string => `${key}: ${cleanLine(value).replaceAll(/\s+/g, ' ')}`;

function worded(facts: LandingFacts): string | null {
  if (facts.template == null) return null;
  const text = renderLandingTemplate(facts.template, {
    task_id: cleanLine(facts.task),
    title: cleanLine(facts.title),
    branch: cleanLine(facts.branch),
    loop: cleanLine(facts.loop),
    agent: cleanLine(facts.agent),
    iterations: String(facts.iterations),
    target: cleanLine(facts.target),
  }).trim();
  if (text === '') return null;
  const [first = '', ...rest] = cleanText(text).split('\n');
  return [shorten(first), ...rest].join('\n');
}

function subject(verb: string, title: string): string {
  return shorten(`${verb} ${cleanLine(title)}`);
}

function shorten(line: string): string {
  return line.length <= SUBJECT_CHARS_MAX ? line : `${cutChars(line, SUBJECT_CHARS_MAX - 1)}…`;
}
