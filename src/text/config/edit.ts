import { parse, patch } from '@decimalturn/toml-patch';
import { checkValue } from './check-value.ts';
import { keyPart, lastPart, splitDotted, tableOf } from './dotted.ts';
import { findKey } from './find-key.ts';
import { nameKey } from './layer.ts';
import type { KeyValue } from './keys.ts';
import { readToml, plainValue } from './toml-entries.ts';
import { tomlText } from './quoted.ts';
import type { TomlRead, TomlEntry, TomlNode } from './toml-entries.ts';

export type Edit = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Sets one key in a file's text and leaves every other byte that can stay. The result is read back: nothing else may differ. */
export function setTomlKey(text: string, dottedKey: string, value: unknown): Edit {
  const named = nameKey(dottedKey);
  if (typeof named === 'string') return { ok: false, reason: named };
  const { key, dotted } = named;
  const problem = checkValue(key, dotted, value);
  if (problem !== null) return { ok: false, reason: problem.message };

  const before = readToml(text);
  const [fault] = before.faults;
  if (fault !== undefined) return { ok: false, reason: `line ${fault.line}: ${fault.message}` };

  const present = leavesOf(before.entries).find(({ path }) => setsKey(path, dotted));
  for (const attempt of waysToSet(text, before, dotted, value as KeyValue, present?.path ?? null)) {
    const edited = attempt();
    if (edited !== null && onlyThisChanged(before, readToml(edited), dotted, value as KeyValue))
      return { ok: true, text: edited };
  }
  return { ok: false, reason: `\`${dotted}\` cannot be set without changing something else in the file` };
}

/** From the least intrusive on; the first whose result reads back right is taken. */
function waysToSet(
  text: string,
  before: TomlRead,
  dotted: string,
  value: KeyValue,
  written: readonly string[] | null,
): (() => string | null)[] {
  if (written !== null) return [() => patched(text, written, value)];
  const header = before.entries.find(
    ({ header, path, node }) => header && node.kind === 'table' && isTable(path, tableOf(dotted)),
  );
  const name = keyPart(lastPart(dotted));
  return [
    () =>
      header === undefined && tableOf(dotted) !== ''
        ? null
        : insertUnderHeader(text, before, header ?? null, name, value),
    () => (tableOf(dotted) === '' ? null : insertSection(text, tableOf(dotted), name, value)),
    () => patched(text, splitDotted(dotted), value),
  ];
}

function patched(text: string, path: readonly string[], value: KeyValue): string | null {
  const root = parse(text) as Record<string, unknown>;
  let table = root;
  for (const part of path.slice(0, -1)) {
    const next = (table[part] ??= Object.create(null) as Record<string, unknown>);
    if (typeof next !== 'object' || next === null) return null;
    table = next as Record<string, unknown>;
  }
  table[path.at(-1) ?? ''] = value;
  return patch(text, root);
}

function isTable(path: readonly string[], dotted: string): boolean {
  const found = findKey(path);
  return found.kind === 'table' && found.dotted === dotted;
}

/** Adds a key under a header (null: at the top), beside the comment that shows it if there is one, else after the last key. */
function insertUnderHeader(
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
function insertSection(text: string, table: string, name: string, value: KeyValue): string {
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

/** A value with its whole path as written. */
export interface Leaf {
  readonly path: readonly string[];
  readonly entry: TomlEntry;
}

/** Whether an edit did what it should and no more: the key holds the value, every other value and comment is as before. */
export function onlyThisChanged(before: TomlRead, after: TomlRead, dotted: string, value: KeyValue): boolean {
  if (after.faults.length > 0) return false;
  const old = partsOf(before, dotted);
  const now = partsOf(after, dotted);
  const [own] = now.own;
  if (own === undefined || now.own.length > 1) return false;
  const holdsValue = JSON.stringify(plainValue(own.entry.node)) === JSON.stringify(value);
  return (
    holdsValue &&
    JSON.stringify(old.rest) === JSON.stringify(now.rest) &&
    JSON.stringify(old.comments) === JSON.stringify(now.comments)
  );
}

interface Parts {
  readonly own: readonly Leaf[];
  readonly rest: readonly string[];
  readonly comments: readonly string[];
}

function partsOf({ entries, comments }: TomlRead, dotted: string): Parts {
  const leaves = leavesOf(entries);
  const own = leaves.filter(({ path }) => setsKey(path, dotted));
  const rest = leaves.filter((leaf) => !own.includes(leaf)).map(print);
  return { own, rest, comments: commentsBeside(comments, own[0]) };
}

/** Comments inside a list go with its items; all others must survive. */
function commentsBeside(comments: TomlRead['comments'], own: Leaf | undefined): string[] {
  const [first, end] = own === undefined ? [0, 0] : [own.entry.place.line, own.entry.endLine];
  return comments.filter(({ line }) => line < first || line >= end).map(({ text }) => text);
}

function leavesOf(entries: readonly TomlEntry[], holder: readonly string[] = []): Leaf[] {
  return entries.flatMap((entry) => {
    const path = [...holder, ...entry.path];
    return entry.node.kind === 'table' ? leavesOf(entry.node.entries, path) : [{ path, entry }];
  });
}

function print({ path, entry }: Leaf): string {
  return JSON.stringify([path, printNode(entry.node)]);
}

function printNode(node: TomlNode): string {
  if (node.kind === 'value') return `${typeof node.value} ${String(node.value)}`;
  const inner = node.kind === 'list' ? node.items.map(printNode) : leavesOf(node.entries).map(print);
  return JSON.stringify([node.kind, inner]);
}

/** Whether a path, in any accepted spelling, names the key. */
function setsKey(path: readonly string[], dotted: string): boolean {
  const found = findKey(path);
  return found.kind === 'key' && found.dotted === dotted;
}
