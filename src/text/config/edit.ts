import { parse, patch } from '@decimalturn/toml-patch';
import { checkValue } from './check-value.ts';
import { keyPart, lastPart, splitDotted, tableOf } from './dotted.ts';
import { findKey } from './find-key.ts';
import { nameKey } from './layer.ts';
import type { KeyValue } from './keys.ts';
import { insertUnderHeader, insertSection } from './insert-line.ts';
import { leavesOf, onlyThisChanged, setsKey } from './only-this-changed.ts';
import { readToml, type TomlRead } from './toml-entries.ts';

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
