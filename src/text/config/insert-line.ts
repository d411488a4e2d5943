import type { KeyValue } from './keys.ts';
import type { TomlEntry, TomlRead } from './toml-entries.ts';
import { tomlText } from './toml-text.ts';

/** Adds a key under a header (null: at the top), beside the comment that shows it if there is one, else after the last key. */
export function insertUnderHeader(
  text: string,
  read: TomlRead,
  header: TomlEntry | null,
  name: string,
  value: KeyValue,
): string {
  const own =
    header === null
      ? read.entries.filter((entry) => !entry.header)
      : header.node.kind === 'table'
        ? header.node.entries
        : [];
  const start = header?.endLine ?? 0;
  const next =
    read.entries.find((entry) => entry.header && entry.place.line > start)?.place.line ?? Number.POSITIVE_INFINITY;
  const shownAt = read.comments.find(
    (comment) => comment.line > start && comment.line < next && shows(comment.text, name),
  );
  const after = shownAt?.line ?? own.at(-1)?.endLine ?? (header === null ? endOfOpeningComments(text) : start);
  const lines = text.split('\n');
  const pair = `${indentOf(own, lines)}${name} = ${tomlText(value)}`;
  return withLine(lines, after, pair, newLineOf(text));
}

/** Adds a table with one key at the end of a file. */
export function insertSection(text: string, table: string, name: string, value: KeyValue): string {
  const newLine = newLineOf(text);
  const gap = text === '' ? '' : text.endsWith('\n') ? newLine : newLine + newLine;
  return `${text}${gap}[${table}]${newLine}${name} = ${tomlText(value)}${newLine}`;
}

function shows(comment: string, name: string): boolean {
  const [key, rest] = comment.replace(/^#\s*/, '').split('=', 2);
  return rest !== undefined && plain(key?.trim() ?? '') === plain(name);
}

const plain = (name: string): string => name.replaceAll('-', '_');

/** Comments that open a file belong to the file, not to the first table, when a blank line follows them. */
function endOfOpeningComments(text: string): number {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return end > 0 && lines[end]?.trim() === '' ? end : 0;
}

function indentOf(own: readonly TomlEntry[], lines: readonly string[]): string {
  const last = own.at(-1);
  return last === undefined ? '' : (/^[ \t]*/.exec(lines[last.place.line - 1] ?? '')?.[0] ?? '');
}

function withLine(lines: readonly string[], after: number, pair: string, newLine: string): string {
  const head = lines.slice(0, after).join('\n');
  const tail = lines.slice(after).join('\n');
  if (after === 0) return atTheTop(tail, pair, newLine);
  if (after === lines.length) return `${head}${newLine}${pair}`;
  return `${head}\n${pair}${newLine}${tail}`;
}

function atTheTop(text: string, pair: string, newLine: string): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const rest = text.slice(bom.length);
  return `${bom}${pair}${newLine}${rest === '' ? '' : newLine}${rest}`;
}

function newLineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
