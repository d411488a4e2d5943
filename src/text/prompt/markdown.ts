import { cleanLine } from '../trackers/clean.ts';

const NAMES_MAX = 100;

/** A heading with text below; nothing at all without text. */
export function section(heading: string, text: string, opening: string | null = null): string {
  if (text === '') return '';
  return opening === null ? `## ${heading}\n${text}` : `## ${heading}\n${opening}\n\n${text}`;
}

export const bullets = (lines: readonly string[]): string =>
  lines.map((line) => `- ${line.replaceAll('\n', '\n  ')}`).join('\n');

/** Names from outside, each on a line of its own, and not more than anybody would read. */
export function names(of: readonly string[]): string {
  const lines = of.slice(0, NAMES_MAX).map((name) => cleanLine(name));
  return bullets(of.length > NAMES_MAX ? [...lines, `and ${of.length - NAMES_MAX} more`] : lines);
}

export const quoted = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** A fence longer than any inside, so that quoted text cannot close it. */
export function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
