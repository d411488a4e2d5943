import { cleanLine, cleanText } from './clean.ts';

export interface IssueBody {
  /** What it says, without its boxes and without what the page does not show. */
  readonly text: string;
  readonly acceptance: readonly string[];
  /** Numbers of issues that have to be closed before. */
  readonly deps: readonly number[];
  /** The same of other repositories, as they are written: nobody looks there. */
  readonly elsewhere: readonly string[];
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s+(?<text>\S.*)$/;
const ACCEPTANCE = /^#{1,6}\s+acceptance(?:\s+criteria)?\s*:?\s*$/i;
const ONE = String.raw`(?:https?://[^\s/]+/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+|(?:[\w.-]+/[\w.-]+)?#\d+)`;
const DEPENDS = new RegExp(
  String.raw`\b(?:depends on|blocked by)\b[\s:*_]*(?<list>${ONE}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)${ONE})*)`,
  'gi',
);

/** Reads what a person wrote into an issue. Code is shown, and asks for nothing. */
export function readIssueBody(raw: string, repository: string): IssueBody {
  const shown = cleanText(raw.replaceAll(/<!--[^]*?(?:-->|$)/g, ''));
  const kept: string[] = [];
  const prose: string[] = [];
  const acceptance: string[] = [];
  let fence: string | null = null;
  for (const line of shown.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    const isCode = fence !== null || mark !== null;
    if (fence === null) fence = mark;
    else if (mark !== null && mark.startsWith(fence) && line.trim() === mark) fence = null;
    const box = isCode ? undefined : BOX.exec(line)?.groups?.['text'];
    if (!isCode) prose.push(line.replaceAll(/`[^`]*`/g, ''));
    if (box === undefined) kept.push(line);
    else acceptance.push(cleanLine(box));
  }
  return { text: withoutEmptyHeading(kept), acceptance, ...dependencies(prose.join('\n'), repository) };
}

/** The heading of boxes that were taken out says nothing. */
function withoutEmptyHeading(lines: readonly string[]): string {
  const isBare = (at: number): boolean => {
    const next = lines.slice(at + 1).find((line) => line.trim() !== '');
    return ACCEPTANCE.test(lines[at] ?? '') && (next === undefined || /^#{1,6}\s/.test(next));
  };
  return lines
    .filter((_, at) => !isBare(at))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function dependencies(prose: string, repository: string): Pick<IssueBody, 'deps' | 'elsewhere'> {
  const deps = new Set<number>();
  const elsewhere = new Set<string>();
  for (const { groups } of prose.matchAll(DEPENDS))
    for (const [one] of (groups?.['list'] ?? '').matchAll(new RegExp(ONE, 'g'))) {
      const [, place = '', number = ''] =
        /^(?:https?:\/\/[^/]+\/)?([^#]*?)(?:\/(?:issues|pull)\/|#)(\d+)$/.exec(one) ?? [];
      if (place === '' || place.toLowerCase() === repository.toLowerCase()) deps.add(Number(number));
      else elsewhere.add(`${place}#${number}`);
    }
  return { deps: [...deps], elsewhere: [...elsewhere] };
}
