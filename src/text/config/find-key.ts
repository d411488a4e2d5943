import { keyPart, lastPart, tableOf } from './dotted.ts';
import { CHOSEN_NAMES } from './chosen-names.ts';
import { KEYS, type ConfigKey } from './keys.ts';
import { nearest } from './nearest.ts';
import { quoted } from './quoted.ts';

export type Found =
  | { readonly kind: 'key'; readonly key: ConfigKey; readonly dotted: string }
  | { readonly kind: 'table'; readonly dotted: string }
  | { readonly kind: 'unknown'; readonly message: string };

interface Branch {
  readonly children: Map<string, Branch>;
  key: ConfigKey | null;
}

const ROOT: Branch = growTree();

/** Finds what a path names. Hyphens count as underscores, except in chosen names. */
export function findKey(path: readonly string[]): Found {
  let branch = ROOT;
  const pattern: string[] = [];
  const dotted: string[] = [];
  for (const written of path) {
    if (branch.key !== null) return { kind: 'unknown', message: notATable(dotted.join('.')) };
    const chosen = branch.children.get('*');
    const rule = CHOSEN_NAMES[pattern.join('.')];
    if (chosen !== undefined && rule !== undefined && !rule.shape.test(written)) {
      return { kind: 'unknown', message: `${quoted(written)} cannot be ${rule.what}: use ${rule.allowed}` };
    }
    const next = chosen ?? branch.children.get(written.replaceAll('-', '_'));
    if (next === undefined) return { kind: 'unknown', message: unknownKey(branch, pattern, dotted, written) };
    pattern.push(chosen === undefined ? written.replaceAll('-', '_') : '*');
    dotted.push(chosen === undefined ? written.replaceAll('-', '_') : keyPart(written));
    branch = next;
  }
  const name = dotted.join('.');
  return branch.key === null ? { kind: 'table', dotted: name } : { kind: 'key', key: branch.key, dotted: name };
}

function growTree(): Branch {
  const root: Branch = { children: new Map(), key: null };
  for (const key of KEYS) {
    let table = root;
    for (const part of key.path.split('.').slice(0, -1)) {
      const next = table.children.get(part) ?? { children: new Map(), key: null };
      table.children.set(part, next);
      table = next;
    }
    table.children.set(lastPart(key.path), { children: new Map(), key });
  }
  return root;
}

function notATable(dotted: string): string {
  const other = [...ROOT.children].filter(([, branch]) => branch.key === null).map(([name]) => name);
  return `\`${dotted}\` is a single value, not a table${didYouMean(nearest(dotted, other))}`;
}

function unknownKey(table: Branch, pattern: readonly string[], dotted: readonly string[], written: string): string {
  const name = [...dotted, written].join('.');
  const start = `unknown key \`${inert(name)}\``;
  const homes = homesOf(written.replaceAll('-', '_'), pattern.join('.'));
  if (homes.length > 0) return `${start}: \`${inert(written)}\` belongs ${homes.join(' or ')}`;
  const here = nearest(written, table.children.keys());
  if (here !== null) return `${start}${didYouMean(here)}`;
  const elsewhere = nearest(
    written,
    KEYS.map((key) => lastPart(key.path)).filter((part) => part !== '*'),
  );
  if (elsewhere !== null) return `${start}${didYouMean(elsewhere, homesOf(elsewhere, pattern.join('.')).join(' or '))}`;
  return `${start}; known here: ${[...table.children.keys()].join(', ')}`;
}

/** Where else a key of that name lives, in words. */
function homesOf(name: string, exceptTable: string): string[] {
  const homes = KEYS.filter((key) => lastPart(key.path) === name).map((key) => tableOf(key.path));
  return [...new Set(homes)]
    .filter((table) => table !== exceptTable)
    .map((table) => (table === '' ? 'at the top, before the first table' : `in [${table.replaceAll('*', 'NAME')}]`));
}

function didYouMean(word: string | null, where = ''): string {
  return word === null ? '' : `, did you mean \`${word}\`${where === '' ? '' : ` ${where}`}?`;
}

function inert(name: string): string {
  return quoted(name).slice(1, -1);
}
