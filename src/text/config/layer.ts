import { checkValue } from './check-value.ts';
import { splitDotted } from './dotted.ts';
import { findKey } from './find-key.ts';
import { CHOSEN_NAMES } from './chosen-names.ts';
import { KEYS, type ConfigKey, type KeyValue } from './keys.ts';
import type { Place } from './toml-entries.ts';

/** Where a value came from, weakest first. `manager`: settings of the worktree-manager plugin, translated. */
export const LAYER_KINDS = ['default', 'manager', 'user', 'repo', 'local', 'env', 'flag'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

export interface ConfigProblem {
  readonly file: string;
  /** 1-based; 0 where there are no lines (variables, flags). */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface LayerValue {
  readonly value: KeyValue;
  /** The file, variable or flag that holds it. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Where each item of a list stands, in a file. */
  readonly items?: readonly Place[];
}

export interface Layer {
  readonly kind: LayerKind;
  readonly name: string;
  /** By dotted canonical key. */
  readonly values: ReadonlyMap<string, LayerValue>;
  /** Keys it sets to something that cannot stay. */
  readonly refused?: ReadonlySet<string>;
  readonly problems: readonly ConfigProblem[];
}

/** One line for one problem, in the form editors and terminals can jump to. */
export function problemLine({ file, line, column, message }: ConfigProblem): string {
  return line === 0 ? `${file} ${message}` : `${file}:${line}:${column} ${message}`;
}

/** Reads the `RALPH_*` variables that name a key; an empty one counts as unset, one that names no key is not ours to judge. */
export function readEnvLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const values = new Map<string, LayerValue>();
  const problems: ConfigProblem[] = [];
  for (const key of KEYS) {
    const name = key.env;
    const text = name === null ? '' : (env[name] ?? '');
    if (name === null || text === '') continue;
    const read = readText(key, key.path, text);
    if (typeof read === 'string') problems.push(unplaced(`${name} (environment)`, read));
    else values.set(key.path, { value: read.value, source: name, line: 0, column: 0 });
  }
  return { kind: 'env', name: 'environment', values, problems };
}

/** Reads flags given as dotted key and text. */
export function readFlagLayer(flags: ReadonlyMap<string, string>): Layer {
  const values = new Map<string, LayerValue>();
  const problems: ConfigProblem[] = [];
  for (const [written, text] of flags) {
    const source = `--set ${written}`;
    const named = nameKey(written);
    const read = typeof named === 'string' ? named : readText(named.key, named.dotted, text);
    if (typeof named === 'string') problems.push(unplaced(source, named));
    else if (typeof read === 'string') problems.push(unplaced(source, read));
    else if (values.has(named.dotted))
      problems.push(unplaced(source, `sets \`${named.dotted}\` a second time; keep one`));
    else values.set(named.dotted, { value: read.value, source, line: 0, column: 0 });
  }
  return { kind: 'flag', name: 'flags', values, problems };
}

/** The key a dotted name stands for, or why it names none. */
export function nameKey(written: string): { readonly key: ConfigKey; readonly dotted: string } | string {
  const found = findKey(partsOf(written));
  if (found.kind === 'unknown') return found.message;
  return found.kind === 'table' ? `\`${found.dotted}\` is a table; name one key in it` : found;
}

/** A path needs no quotes where it comes last: nothing else can follow it. */
function partsOf(written: string): string[] {
  const parts = splitDotted(written);
  const tables = Object.keys(CHOSEN_NAMES).filter((table) => CHOSEN_NAMES[table]?.hasDots === true);
  const table = tables.find((each) => written.replaceAll('-', '_').startsWith(`${each}.`));
  if (table === undefined) return parts;
  const depth = table.split('.').length;
  return parts.length === depth + 1 ? parts : [...parts.slice(0, depth), written.slice(table.length + 1)];
}

/** Reads a value written outside a file, or says why it cannot stay. */
export function readText(key: ConfigKey, dotted: string, text: string): { readonly value: KeyValue } | string {
  const value = key.type.read(text);
  return checkValue(key, dotted, value)?.message ?? { value: value as KeyValue };
}

function unplaced(file: string, message: string): ConfigProblem {
  return { file, line: 0, column: 0, message };
}
