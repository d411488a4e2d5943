import { cleanText } from '../../text/screen/clean.ts';

const LINES_MAX = 20;

/** The end of what a gate printed, set off from our own words. */
export function tailLines(tail: string): readonly string[] {
  const lines = cleanText(tail).trimEnd().split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines.slice(-LINES_MAX).map((line) => `    | ${line}`);
}
