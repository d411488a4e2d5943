import { parseDocument } from '@decimalturn/toml-patch';
import { invariant } from '../../core/model/assert.ts';

export interface Place {
  /** Both 1-based. */
  readonly line: number;
  readonly column: number;
}

export type TomlNode =
  | { readonly kind: 'value'; readonly value: unknown; readonly place: Place }
  | { readonly kind: 'list'; readonly items: readonly TomlNode[]; readonly place: Place }
  | { readonly kind: 'table'; readonly entries: readonly TomlEntry[]; readonly place: Place };

/** A key with its value, or a table header with what stands under it. The path is as written, relative to what holds it. */
export interface TomlEntry {
  readonly path: readonly string[];
  readonly place: Place;
  /** Last line of the pair, or of the header itself. */
  readonly endLine: number;
  /** Written as `[table]`. */
  readonly header: boolean;
  readonly node: TomlNode;
}

export interface TomlComment {
  readonly text: string;
  readonly line: number;
}

export interface TomlRead {
  readonly entries: readonly TomlEntry[];
  readonly comments: readonly TomlComment[];
  readonly faults: readonly (Place & { readonly message: string })[];
}

/** The part of the parser's tree we rely on; it is not among the types the package exports. */
interface Cst {
  readonly type: string;
  readonly loc: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number };
  };
  readonly raw?: string;
}
interface CstKey extends Cst {
  readonly value: readonly string[];
}
interface CstPair extends Cst {
  readonly key: CstKey;
  readonly value: Cst;
}
interface CstSection extends Cst {
  readonly key: { readonly item: CstKey };
  readonly items: readonly Cst[];
}
interface CstInline extends Cst {
  readonly items: readonly { readonly type: string; readonly item: Cst }[];
}
interface CstScalar extends Cst {
  readonly value: unknown;
}

const BASIC = /^(?:"(?:[^"\\\n]|\\.)*"|"""[^]*""")$/;
const LITERAL = /^(?:'[^'\n]*'|'''[^]*''')$/;

/** Reads TOML with the place of every key and value. Never throws: what is wrong with the text comes back as faults. */
export function readToml(text: string): TomlRead {
  const faults: (Place & { message: string })[] = [];
  try {
    const document = parseDocument(text);
    const blocks = document.cst as unknown as readonly Cst[];
    try {
      // Only the conversion to values notices keys and tables defined twice.
      invariant(typeof document.toJsObject === 'object', 'a TOML document is a table');
    } catch (error) {
      faults.push(faultOf(error));
    }
    const comments: TomlComment[] = [];
    return { entries: entriesOf(blocks, comments), comments, faults };
  } catch (error) {
    return { entries: [], comments: [], faults: [...faults, faultOf(error)] };
  }
}

/** A node as plain data, tables as maps so that no key can reach a prototype. */
export function plainValue(node: TomlNode): unknown {
  if (node.kind === 'value') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return new Map(node.entries.map((entry) => [JSON.stringify(entry.path), plainValue(entry.node)]));
}

function entriesOf(blocks: readonly Cst[], comments: TomlComment[]): TomlEntry[] {
  const entries: TomlEntry[] = [];
  for (const block of blocks) {
    if (block.type === 'Comment') {
      comments.push(commentOf(block));
    } else if (block.type === 'KeyValue') {
      const { key, value } = block as CstPair;
      entries.push({
        path: key.value,
        place: placeOf(key),
        endLine: block.loc.end.line,
        header: false,
        node: nodeOf(value, comments),
      });
    } else {
      const { key, items } = block as CstSection;
      const table: TomlNode = { kind: 'table', entries: entriesOf(items, comments), place: placeOf(key.item) };
      const node: TomlNode = block.type === 'TableArray' ? { kind: 'list', items: [table], place: table.place } : table;
      entries.push({ path: key.item.value, place: table.place, endLine: table.place.line, header: true, node });
    }
  }
  return entries;
}

function nodeOf(value: Cst, comments: TomlComment[]): TomlNode {
  const place = placeOf(value);
  if (value.type === 'InlineTable') {
    return { kind: 'table', entries: entriesOf(innerItems(value as CstInline), comments), place };
  }
  if (value.type === 'InlineArray') {
    const items: TomlNode[] = [];
    for (const item of innerItems(value as CstInline)) {
      if (item.type === 'Comment') comments.push(commentOf(item));
      else items.push(nodeOf(item, comments));
    }
    return { kind: 'list', items, place };
  }
  refuseOpenQuotes(value);
  return { kind: 'value', value: (value as CstScalar).value, place };
}

/** One quote cannot stand inside a text of one line; the parser takes it as if it could, and every other reader does not. */
function refuseOpenQuotes({ raw = '', loc }: Cst): void {
  const isBroken = raw.startsWith('"') ? !BASIC.test(raw) : raw.startsWith("'") && !LITERAL.test(raw);
  if (isBroken) throw Object.assign(new Error('A quote inside a text must be written \\"'), loc.start);
}

function innerItems(inline: CstInline): Cst[] {
  return inline.items.map((item) => (item.type === 'InlineItem' ? item.item : (item as unknown as Cst)));
}

function commentOf(node: Cst): TomlComment {
  return { text: node.raw ?? '', line: node.loc.start.line };
}

function placeOf(node: Cst): Place {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}

/** The parser's message quotes the source; only its last line says what is wrong. */
function faultOf(error: unknown): Place & { message: string } {
  if (error instanceof RangeError) return { line: 1, column: 1, message: 'not valid TOML: nested too deeply' };
  const { line, column, message } = error as { line?: number; column?: number; message?: string };
  const reason = (message ?? '').trim().split('\n').at(-1) ?? '';
  // The parser notices an unclosed header only where the next line begins.
  const at = reason.startsWith('Table header must be single-line') ? Math.max(1, (line ?? 1) - 1) : (line ?? 1);
  return { line: at, column: (column ?? 0) + 1, message: `not valid TOML: ${reason}` };
}
