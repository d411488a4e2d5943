import type { Place } from '../trackers/places.ts';
import { placesOf } from '../trackers/places.ts';
import type { Table, Value } from '../trackers/value.ts';
import { readYamlValue } from '../trackers/yaml-value.ts';
import type { ConfigProblem, Layer, LayerValue } from '../config/layer.ts';
import { nameKey } from '../config/layer.ts';
import { checkValue, shown } from '../config/check-value.ts';
import type { KeyValue } from '../config/keys.ts';
import { nearest } from '../config/nearest.ts';
import { quoted } from '../config/quoted.ts';
import { splitFrontMatter } from './front-matter.ts';

interface Said {
  readonly key: string;
  readonly value: KeyValue;
}

/** A value as it stands there, to ours; a text instead says what it should have been. */
type Translate = (value: Plain) => readonly Said[] | string;
type Plain = string | boolean | number | null | readonly string[];

/** It has no counterpart here and does no harm. */
const unused: Translate = () => [];
const as =
  (key: string): Translate =>
  (value) => [{ key, value: value as KeyValue }];

const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  [
    'worktree_base_path',
    (path) => (isName(path) ? [{ key: 'worktree.path', value: `${path.replace(/\/+$/, '')}/<name>` }] : 'a folder'),
  ],
  [
    'branch_prefix',
    (prefix) => (typeof prefix === 'string' ? [{ key: 'worktree.branch', value: `${prefix}<name>` }] : 'a text'),
  ],
  ['copy_file_patterns', as('worktree.copy')],
  ['exclude_file_patterns', (list) => (Array.isArray(list) ? leftOut(list) : 'a list of texts')],
  [
    'copy_files_enabled',
    (on) => (typeof on !== 'boolean' ? 'true or false' : on ? [] : [{ key: 'worktree.copy', value: [] }]),
  ],
  ['auto_init_submodules', as('worktree.submodules')],
  ['auto_run_setup', runSetup],
  ['auto_spawn_strategy', as('auto_spawn_strategy')],
  ['default_max_iterations', as('limits.iterations')],
  ['spec_directory', as('plans')],
  ['auto_commit', unused],
  ['auto_push', unused],
  ['create_learnings_file', unused],
]);

/** Its settings as a layer of ours; whatever cannot be used is a warning with its place. */
export function readManagerFile(
  file: string,
  text: string,
): { readonly layer: Layer; readonly warnings: readonly ConfigProblem[] } {
  const values = new Map<string, LayerValue>();
  const warnings: ConfigProblem[] = [];
  const places = placesOf(text);
  const warn = (place: Place, message: string): void => void warnings.push({ file, ...place, message });
  const table = tableOf(text, warn);
  for (const [name, { key, value }] of table?.entries ?? []) {
    const headAt = splitFrontMatter(text)?.headAt ?? 0;
    const read = translate(name, value);
    const place = places((typeof read === 'string' ? key.start : value.start) + headAt);
    if (typeof read === 'string') warn(place, read);
    else
      for (const said of read)
        values.set(said.key, { value: joined(values.get(said.key)?.value, said.value), source: file, ...place });
  }
  return { layer: { kind: 'manager', name: file, values, problems: [] }, warnings };
}

function tableOf(text: string, warn: (place: Place, message: string) => void): Table | null {
  const parts = splitFrontMatter(text);
  if (parts === null) {
    warn({ line: 1, column: 1 }, 'has no front matter between two lines of ---, so it sets nothing');
    return null;
  }
  const places = placesOf(text);
  const read = readYamlValue(parts.head, (offset) => places(offset + parts.headAt));
  for (const { line, column, message } of read.problems) warn({ line, column }, message);
  if (read.value === null) return null;
  if (read.value.kind === 'table') return read.value;
  if (read.value.kind !== 'scalar' || read.value.text !== null)
    warn({ line: 2, column: 1 }, 'must hold lines of the form key: value');
  return null;
}

function translate(name: string, value: Value): readonly Said[] | string {
  const translation = TRANSLATIONS.get(name);
  if (translation === undefined) {
    const close = nearest(name, [...TRANSLATIONS.keys()]);
    return `there is no setting ${quoted(name)}${close === null ? '' : `; did you mean ${close}?`}`;
  }
  const plain = plainOf(value);
  if (plain === null) return [];
  const read = translation(plain);
  if (typeof read === 'string') return `\`${name}\` must be ${read}, not ${shown(plain)}`;
  const problem = read.map(problemOf).find((each) => each !== null);
  return problem === undefined ? read : `\`${name}\`: ${problem}`;
}

/** Ours may be stricter than theirs. */
function problemOf({ key, value }: Said): string | null {
  const named = nameKey(key);
  return typeof named === 'string' ? named : (checkValue(named.key, named.dotted, value)?.message ?? null);
}

/** Theirs asks first (`prompt`), installs what it is sure of (`auto`) or everything (`all`): ours knows only whether. */
function runSetup(value: Plain): readonly Said[] | string {
  if (value === false || value === 'never') return [{ key: 'worktree.setup', value: [] }];
  if (value === true || value === 'prompt' || value === 'auto' || value === 'all') return [];
  return 'prompt, auto, all or false';
}

/** Scalars are read as the text they were written as. */
function plainOf(value: Value): Plain {
  if (value.kind === 'list') return value.items.map((item) => (item.kind === 'scalar' ? (item.text ?? '') : ''));
  if (value.kind === 'table') return '';
  const { text } = value;
  if (text === null) return null;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

const isName = (value: Plain): value is string => typeof value === 'string' && value.trim() !== '';
const leftOut = (patterns: readonly string[]): readonly Said[] => [
  { key: 'worktree.copy', value: patterns.map((pattern) => `!${pattern}`) },
];

/** What is copied and what is not is one list of ours. That nothing is copied stands above what would be. */
function joined(before: KeyValue | undefined, value: KeyValue): KeyValue {
  if (!isList(before) || !isList(value)) return value;
  return before.length === 0 || value.length === 0 ? [] : [...before, ...value];
}

const isList = (value: KeyValue | undefined): value is readonly string[] => Array.isArray(value);
