import { findKey } from './find-key.ts';
import type { KeyValue } from './keys.ts';
import { plainValue, type TomlEntry, type TomlNode, type TomlRead } from './toml-entries.ts';

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

export function leavesOf(entries: readonly TomlEntry[], holder: readonly string[] = []): Leaf[] {
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
export function setsKey(path: readonly string[], dotted: string): boolean {
  const found = findKey(path);
  return found.kind === 'key' && found.dotted === dotted;
}
