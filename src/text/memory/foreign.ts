import { cleanLine, cleanText } from '../trackers/clean.ts';

/** A memory as another tool's page has it. */
export interface ForeignMemory {
  /** Null: it has none there. */
  readonly id: string | null;
  /** Wall clock in ms; null: not said. */
  readonly at: number | null;
  readonly text: string;
  readonly tags: readonly string[];
}

/** Sections of such a page become a tag. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['patterns', 'pattern'],
  ['decisions', 'decision'],
  ['fixes', 'fix'],
  ['context', 'context'],
]);
const ID = /^mem-(\d{6,})-[0-9a-z]+$/i;

interface Draft {
  readonly id: string | null;
  readonly section: string | null;
  readonly lines: string[];
  comment: string;
}

/**
 * A page of sections with `### mem-…` entries, each a quotation with a comment of tags and a date below it. Bullets and
 * paragraphs count as entries too, for people write into such pages as they like.
 */
export function readForeignMemories(page: string): readonly ForeignMemory[] {
  const drafts: Draft[] = [];
  let section: string | null = null;
  // What stands between the title and the first section is about the page.
  let isPreamble = true;
  let open: Draft | null = null;
  const begin = (id: string | null, first: string): void => {
    open = { id, section, lines: first === '' ? [] : [first], comment: '' };
    drafts.push(open);
  };
  for (const line of page.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const bullet = /^[-*+]\s+(.*)$/.exec(line)?.[1];
    const comment = /^\s*<!--(.*?)(?:-->)?\s*$/.exec(line)?.[1];
    const draft = open as Draft | null;
    if (heading !== null) {
      const [, marks = '', title = ''] = heading;
      open = null;
      isPreamble = marks.length === 1;
      if (marks.length > 2) begin(ID.test(title) ? title : null, ID.test(title) ? '' : title);
      else section = SECTIONS.get(title.toLowerCase()) ?? null;
    } else if (comment !== undefined) {
      if (draft !== null) draft.comment += comment;
      open = null;
    } else if (bullet !== undefined && draft?.id == null) begin(null, bullet);
    else if (draft !== null && goesOn(draft, line)) draft.lines.push(line.replace(/^(?:\s*>\s?| {1,2}|\t)/, ''));
    else if (line.trim() !== '' && !isPreamble) begin(null, line);
  }
  return drafts.map(memoryOf).filter(({ text }) => text !== '');
}

/** An entry with a name has all up to its comment; any other ends where a paragraph at the margin begins. */
function goesOn({ id, lines }: Draft, line: string): boolean {
  return id !== null || line.trim() === '' || /^[ \t>]/.test(line) || lines.at(-1)?.trim() !== '';
}

function memoryOf({ id, section, lines, comment }: Draft): ForeignMemory {
  const said = new Map(
    comment.split('|').map((part): [string, string] => {
      const colon = part.indexOf(':');
      return [part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim()];
    }),
  );
  const tags = (said.get('tags') ?? '').split(',').map(cleanLine);
  return {
    id,
    at: timeOf(said.get('created') ?? '') ?? timeInId(id ?? ''),
    text: cleanText(lines.join('\n')),
    tags: [...(section === null ? [] : [section]), ...tags.filter((tag) => tag !== '' && tag !== section)],
  };
}

function timeOf(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** Seconds, or milliseconds where seconds would be thousands of years away. */
function timeInId(id: string): number | null {
  const time = Number(ID.exec(id)?.[1] ?? Number.NaN);
  if (Number.isNaN(time)) return null;
  const at = time < 1e11 ? time * 1000 : time;
  return at < 8e15 ? at : null;
}
