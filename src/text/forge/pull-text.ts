import { cutChars } from '../screen/clean.ts';
import { cleanLine } from '../trackers/clean.ts';
import { loopMark, mark } from './marks.ts';

export interface PullText {
  readonly loop: string;
  readonly task: string;
  readonly title: string;
  readonly body: string;
  readonly acceptance: readonly string[];
  /** The subjects of its commits, oldest first. */
  readonly commits: readonly string[];
  /** What the agent said last. */
  readonly said: string;
  readonly gates: readonly string[];
  /** Green on this head; null: nobody has asked. */
  readonly verdict: string | null;
  /** The target as it was when the gates were green on both together; null: they were not run on that. */
  readonly together: { readonly target: string; readonly commit: string } | null;
  readonly costUsd: number | null;
  readonly iterations: number;
  readonly agent: string;
  /** A person has to approve it: why. */
  readonly needs: string | null;
  /** What the user wants to stand on top; null: nothing. */
  readonly opening: string | null;
}

const CHARS_MAX = 60_000;
const SAID_CHARS_MAX = 4000;
const COMMITS_MAX = 50;

/** What a reviewer needs: what was asked, what was done, and what says that it works. */
export function pullBody(facts: PullText): string {
  const parts = [
    facts.needs === null ? '' : `**A person has to approve this before it is merged: it ${cleanLine(facts.needs)}.**`,
    facts.opening ?? '',
    asked(facts),
    done(facts),
    gates(facts),
    together(facts),
    `Loop \`${facts.loop}\`, ${facts.iterations} iteration${facts.iterations === 1 ? '' : 's'} of ${cleanLine(facts.agent)}${cost(facts.costUsd)}.`,
  ];
  const text = parts.filter((part) => part.trim() !== '').join('\n\n');
  return `${cut(text, CHARS_MAX)}\n\n${loopMark(facts.loop)}\n`;
}

function asked({ task, title, body, acceptance }: PullText): string {
  const boxes = acceptance.map((line) => `- ${cleanLine(line)}`);
  const acceptanceText = boxes.length === 0 ? '' : `### Acceptance\n\n${boxes.join('\n')}`;
  return [`## Asked: ${cleanLine(title)} (${cleanLine(task)})`, body.trim(), acceptanceText]
    .filter((one) => one !== '')
    .join('\n\n');
}

function done({ commits, said }: PullText): string {
  const shown = commits.slice(-COMMITS_MAX).map((subject) => `- ${cleanLine(subject)}`);
  const last = said.trim() === '' ? '' : fenced(cut(said.trim(), SAID_CHARS_MAX));
  return ['## Done', shown.join('\n'), last].filter((one) => one !== '').join('\n\n');
}

function gates({ gates: commands, verdict }: PullText): string {
  if (commands.length === 0) return '## Gates\n\nNo gates are configured.';
  const is = verdict ?? 'not run on this head';
  return `## Gates\n\n${commands.map((command) => `- \`${cleanLine(command).replaceAll('`', "'")}\`: ${is}`).join('\n')}`;
}

function together({ together: with_ }: PullText): string {
  if (with_ === null) return '';
  return `Green together with \`${cleanLine(with_.target).replaceAll('`', "'")}\` at ${with_.commit.slice(0, 12)}.`;
}

const cost = (usd: number | null): string => (usd === null ? '' : `, ${usd.toFixed(2)} US dollars`);
const cut = (text: string, max: number): string => (text.length > max ? `${cutChars(text, max)}…` : text);

/** Nothing in it can end the fence. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** One answer for each comment: the mark says to which. */
export const answerText = (comment: string, commit: string): string =>
  `Addressed in ${commit.slice(0, 12)}.\n\n${mark(`answer:${comment}`)}\n`;

export const answerMark = (comment: string): string => `answer:${comment}`;

/** How to see a conflict, for whoever looks at the pull request. */
export const conflictText = (head: string, target: string, paths: readonly string[]): string =>
  [
    `This does not merge with ${cleanLine(target)} any more: ${paths.map((path) => `\`${cleanLine(path)}\``).join(', ')}. Its loop mends it.`,
    `To see it: \`git fetch && git merge-tree --write-tree origin/${cleanLine(target)} ${head.slice(0, 12)}\``,
    mark(`conflict:${head}`),
  ].join('\n\n');
