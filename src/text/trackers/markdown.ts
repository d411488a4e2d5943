import type { Problem, TaskStatus } from '../../core/model/task.ts';
import type { DependencyRef, Draft, Drafts, Written } from './draft.ts';
import type { Comment, MetaKey } from './markdown-comments.ts';
import { metaOf, scanComments } from './markdown-comments.ts';
import type { Bullet, Line } from './markdown-lines.ts';
import { markdownLines, widthOf } from './markdown-lines.ts';
import type { Place } from './places.ts';
import { placesOf } from './places.ts';
import { marksFrom } from './marks.ts';
import { parsePriority, PRIORITY_FORMS } from './priority.ts';

export interface MarkdownDraft extends Draft {
  /** Offset of the character between the brackets. */
  readonly boxAt: number;
}

/** A task while its lines are still coming in. */
interface Open {
  readonly bullet: Bullet;
  readonly boxAt: number;
  readonly status: TaskStatus;
  readonly title: string;
  readonly meta: Map<MetaKey, Written>;
  readonly points: { text: string; readonly place: Place; readonly indent: number; ended: boolean }[];
  readonly body: string[];
}

interface Reader {
  readonly text: string;
  readonly placeOf: (offset: number) => Place;
  readonly drafts: MarkdownDraft[];
  readonly problems: Problem[];
  open: Open | null;
}

const STATUS_OF_MARK = new Map<string, TaskStatus>([
  [' ', 'open'],
  ['x', 'done'],
  ['X', 'done'],
  ['~', 'doing'],
  ['-', 'blocked'],
  ['!', 'blocked'],
]);
const BOX = /^\[[ xX~!-]\][ \t]+/;
const DEPENDS_ON = /^[*_]{0,3}depends[ _-]on[*_]{0,3}[ \t]*:[*_]{0,3}/i;
/** A bullet this much further right than a task belongs to it, even where CommonMark asks for one column more. */
const NESTED_COLUMNS = 2;

/** Reads checkboxes: those under a "Tasks" heading if there is one, else those of the whole file. */
export function readMarkdown(text: string): Drafts<MarkdownDraft> {
  const { lines, unclosed } = markdownLines(text);
  const reader: Reader = { text, placeOf: placesOf(text), drafts: [], problems: [], open: null };
  if (unclosed !== null) reader.problems.push({ ...reader.placeOf(unclosed), message: 'this comment is never closed' });
  const sectioned = lines.some(isTasksHeading);
  let sectionLevel: number | null = null;
  for (const line of lines) {
    if (line.kind === 'heading') {
      close(reader);
      if (sectionLevel === null || line.level <= sectionLevel) sectionLevel = isTasksHeading(line) ? line.level : null;
    } else if (!sectioned || sectionLevel !== null) {
      take(reader, line);
    }
  }
  close(reader);
  return { readable: true, drafts: reader.drafts, problems: reader.problems };
}

/** Sets the box of one task; nothing but that character changes. */
export function tickMarkdown(text: string, draft: MarkdownDraft): string {
  return `${text.slice(0, draft.boxAt)}x${text.slice(draft.boxAt + 1)}`;
}

function isTasksHeading(line: Line): boolean {
  return line.kind === 'heading' && /^[*_]*tasks:?[*_]*:?$/i.test(line.title);
}

function take(reader: Reader, line: Exclude<Line, { kind: 'heading' }>): void {
  const { open } = reader;
  if (line.kind === 'bullet') {
    if (open !== null && line.indent >= open.bullet.indent + NESTED_COLUMNS) return addPoint(reader, open, line);
    close(reader);
    if (line.box !== null) reader.open = openTask(reader, line, line.box);
    return;
  }
  if (open === null) return;
  if (line.kind === 'blank') {
    endPoint(open);
    open.body.push('');
    return;
  }
  const inside = line.indent > open.bullet.indent || (line.kind === 'text' && line.lazy);
  const inCode = line.kind === 'code' && line.base > open.bullet.indent;
  if (inside || inCode) addText(reader, open, line);
  else if (line.kind !== 'comment') close(reader);
}

function openTask(reader: Reader, bullet: Bullet, box: { readonly mark: string; readonly at: number }): Open {
  const meta = new Map<MetaKey, Written>();
  const title = withoutComments(reader, bullet, box.at + 2, (comment) => readMeta(reader, meta, comment));
  const status = STATUS_OF_MARK.get(box.mark) ?? 'open';
  return { bullet, boxAt: box.at, status, title, meta, points: [], body: [] };
}

function addPoint(reader: Reader, open: Open, bullet: Bullet): void {
  endPoint(open);
  const text = withoutComments(reader, bullet, bullet.contentAt, null).trim().replace(BOX, '');
  open.points.push({ text, place: reader.placeOf(bullet.contentAt), indent: bullet.indent, ended: false });
}

function endPoint(open: Open): void {
  const point = open.points.at(-1);
  if (point !== undefined) point.ended = true;
}

function addText(reader: Reader, open: Open, line: Exclude<Line, { kind: 'heading' | 'bullet' }>): void {
  const verbatim = line.kind === 'code' || line.kind === 'quote';
  if (line.kind === 'comment' && !line.text.trimStart().startsWith('<!--')) return;
  const text = verbatim
    ? line.text
    : withoutComments(reader, line, line.start, (comment) => readMeta(reader, open.meta, comment));
  const trimmed = text.trim();
  if (line.kind === 'comment' || (trimmed === '' && !verbatim)) return;
  const point = open.points.at(-1);
  if (line.kind === 'text' && point?.ended === false && (line.indent > point.indent || line.lazy)) {
    point.text += ` ${trimmed}`;
  } else if (DEPENDS_ON.test(trimmed) && !verbatim) {
    open.points.push({ text: trimmed, place: reader.placeOf(line.start), indent: line.indent, ended: false });
  } else {
    endPoint(open);
    open.body.push(dedent(text, open.bullet.indent + NESTED_COLUMNS));
  }
}

function withoutComments(
  reader: Reader,
  line: Line,
  from: number,
  onComment: ((comment: Comment) => void) | null,
): string {
  const { comments, unclosed } = scanComments(reader.text, from, line.end);
  if (unclosed !== null && line.kind === 'bullet') {
    reader.problems.push({ ...reader.placeOf(unclosed), message: 'this comment is never closed' });
  }
  let text = '';
  let at = from;
  for (const comment of comments) {
    text += reader.text.slice(at, comment.start);
    at = comment.end;
    onComment?.(comment);
  }
  return text + reader.text.slice(at, Math.max(at, line.end));
}

function readMeta(reader: Reader, meta: Map<MetaKey, Written>, comment: Comment): void {
  const place = reader.placeOf(comment.start);
  for (const { key, value } of metaOf(comment.text)) {
    if (meta.has(key)) reader.problems.push({ ...place, message: `this task is given its ${key} twice` });
    else meta.set(key, { ...place, text: value });
  }
}

function close(reader: Reader): void {
  const { open } = reader;
  reader.open = null;
  if (open === null) return;
  const written = open.meta.get('depends on');
  const deps: DependencyRef[] = written === undefined ? [] : [{ ...written, style: 'prose' }];
  const acceptance: string[] = [];
  for (const { text, place } of open.points) {
    const names = DEPENDS_ON.exec(text);
    if (names === null) acceptance.push(text);
    else deps.push({ ...place, text: text.slice(names[0].length), style: 'prose' });
  }
  const { line, column } = reader.placeOf(open.bullet.end - open.bullet.text.trimStart().length);
  reader.drafts.push({
    line,
    column,
    id: open.meta.get('id') ?? null,
    title: open.title,
    body: open.body.join('\n'),
    acceptance,
    group: open.meta.get('group') ?? null,
    deps,
    priority: priorityOf(reader, open.meta.get('priority')),
    status: open.status,
    blockedReason: null,
    boxAt: open.boxAt,
    ...marksFrom((name) => open.meta.get(name)?.text ?? null),
  });
}

function priorityOf(reader: Reader, written: Written | undefined): number | null {
  if (written === undefined) return null;
  const priority = parsePriority(written.text);
  if (priority === null) {
    const { line, column } = written;
    reader.problems.push({ line, column, message: `the priority must be ${PRIORITY_FORMS}` });
  }
  return priority;
}

/** Takes up to that many columns of white space off the front. */
function dedent(text: string, columns: number): string {
  let at = 0;
  while (at < text.length && (text[at] === ' ' || text[at] === '\t') && widthOf(text.slice(0, at + 1)) <= columns)
    at += 1;
  return text.slice(at);
}
