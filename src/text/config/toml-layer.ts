import { checkValue, shown } from './check-value.ts';
import { findKey } from './find-key.ts';
import type { KeyValue } from './keys.ts';
import type { ConfigProblem, Layer, LayerValue } from './layer.ts';
import { plainValue, readToml, type Place, type TomlEntry } from './toml-entries.ts';

/** No configuration is near this; what is larger is not one. */
const LARGEST_CONFIG_CHARS = 1_048_576;

interface Reading {
  readonly file: string;
  readonly values: Map<string, LayerValue>;
  readonly refused: Set<string>;
  readonly problems: ConfigProblem[];
}

/** Reads a configuration file. Never throws: everything wrong with it comes back at once, in file order. */
export function readTomlLayer(kind: 'user' | 'repo' | 'local', file: string, text: string): Layer {
  const reading: Reading = { file, values: new Map(), refused: new Set(), problems: [] };
  if (text.length > LARGEST_CONFIG_CHARS) {
    report(reading, { line: 1, column: 1 }, 'is larger than 1 MB');
  } else {
    const { entries, faults } = readToml(text);
    for (const fault of faults) report(reading, fault, fault.message);
    for (const entry of entries) visit(reading, [], entry);
  }
  reading.problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { kind, name: file, values: reading.values, refused: reading.refused, problems: reading.problems };
}

function visit(reading: Reading, holder: readonly string[], entry: TomlEntry): void {
  const path = [...holder, ...entry.path];
  const found = findKey(path);
  if (found.kind === 'unknown') {
    report(reading, entry.place, found.message);
  } else if (found.kind === 'key') {
    take(reading, entry, found);
  } else if (entry.node.kind === 'table') {
    for (const inner of entry.node.entries) visit(reading, path, inner);
  } else {
    report(reading, entry.node.place, `\`${found.dotted}\` must be a table, not ${shown(plainValue(entry.node))}`);
  }
}

function take(reading: Reading, entry: TomlEntry, found: Extract<ReturnType<typeof findKey>, { kind: 'key' }>): void {
  const { node, place } = entry;
  const earlier = reading.values.get(found.dotted);
  if (earlier !== undefined) {
    report(reading, place, `\`${found.dotted}\` is already set on line ${earlier.line}; keep one of the two`);
    return;
  }
  const value = plainValue(node);
  const problem = checkValue(found.key, found.dotted, value);
  if (problem === null) {
    const items = node.kind === 'list' ? { items: node.items.map((item) => item.place) } : {};
    reading.values.set(found.dotted, { value: value as KeyValue, source: reading.file, ...place, ...items });
    return;
  }
  reading.refused.add(found.dotted);
  const item = node.kind === 'list' && problem.item !== null ? node.items[problem.item] : undefined;
  report(reading, (item ?? node).place, problem.message);
}

/** The parser and we may both object to one place (a key written twice): the first voice is enough. */
function report(reading: Reading, { line, column }: Place, message: string): void {
  const said = reading.problems.some((problem) => problem.line === line && problem.column === column);
  if (!said) reading.problems.push({ file: reading.file, line, column, message });
}
