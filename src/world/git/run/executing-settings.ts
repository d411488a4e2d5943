import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Values by key, of the settings that make git run programs. */
export type Settings = Readonly<Record<string, readonly string[]>>;

/** What one file sets, `-z`, includes left out; null: what the user's own files set together. Must execute nothing. */
export type ListSettings = (file: string | null) => Promise<string>;

/** Values under which git does what it does without the setting, or nothing: none of them runs a program of somebody's. */
const INERT: readonly (readonly [RegExp, string])[] = [
  [/^filter\..+\.(?:clean|smudge|process)$/s, ''],
  [/^filter\..+\.required$/s, 'false'],
  // An empty driver would take our side without a word.
  [/^merge\..+\.driver$/s, 'git merge-file -q --marker-size=%L %A %O %B'],
  [/^(?:diff\..+\.textconv|interactive\.difffilter)$/s, 'cat'],
  [/^(?:diff\..+\.command|diff\.external)$/s, 'true'],
  [/^core\.(?:fsmonitor|sshcommand|gitproxy|askpass|alternaterefscommand)$/, 'false'],
  [/^core\.hookspath$/, '/dev/null'],
  [/^(?:core\.editor|sequence\.editor|trailer\..+\.(?:command|cmd))$/s, 'true'],
  [/^(?:core\.pager|pager\..+)$/s, 'cat'],
  [/^gpg\.(?:openpgp\.)?program$/, 'gpg'],
  [/^gpg\.x509\.program$/, 'gpgsm'],
  [/^gpg\.ssh\.program$/, 'ssh-keygen'],
  [/^gpg\.ssh\.defaultkeycommand$/, ''],
  [/^(?:commit|tag)\.gpgsign$/, 'false'],
  [/^credential\.(?:.+\.)?helper$/s, ''],
  [/^remote\..+\.uploadpack$/s, 'git-upload-pack'],
  [/^remote\..+\.receivepack$/s, 'git-receive-pack'],
  [/^remote\..+\.vcs$/s, 'none'],
  [/^submodule\..+\.update$/s, 'none'],
];

/** Null: the setting runs nothing. */
export const inertValue = (key: string): string | null => INERT.find(([pattern]) => pattern.test(key))?.[1] ?? null;

export type Entries = readonly (readonly [key: string, value: string])[];

/** What is written in the same tick of the kernel in which it was looked at may be written once more without a trace. */
const TICK_MS = 50;
const DEPTH_MAX = 10;
const known = new Map<string, { readonly mark: string; readonly entries: Promise<Entries> }>();

/** What these files set together by now. A file is read only if it has changed since. */
export async function lookAtSettings(files: readonly string[], list: ListSettings): Promise<Settings> {
  const reading: Reading = { settings: {}, seen: new Set(), list };
  for (const file of files) await read(file, 0, reading);
  return reading.settings;
}

interface Reading {
  readonly settings: Record<string, string[]>;
  readonly seen: Set<string>;
  readonly list: ListSettings;
}

/** Conditions of includes are taken for fulfilled: they hold in one worktree and not in the next. */
async function read(file: string, depth: number, reading: Reading): Promise<void> {
  if (depth > DEPTH_MAX || reading.seen.has(file)) return;
  reading.seen.add(file);
  for (const [key, value] of await entriesOf(file, reading.list)) {
    if (inertValue(key) !== null) (reading.settings[key] ??= []).push(value);
    if (/^include(?:if\..+)?\.path$/s.test(key)) await read(included(file, value), depth + 1, reading);
  }
}

async function entriesOf(file: string, list: ListSettings): Promise<Entries> {
  const mark = markOf(file);
  return mark === '' ? [] : remembered(file, mark, () => list(file));
}

/** What the user's own files say for every repository, in order. */
export async function ownSettings(list: ListSettings): Promise<Entries> {
  const folder = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const files = [join(homedir(), '.gitconfig'), join(folder, 'git/config')];
  return remembered('', files.map((file) => `${file} ${markOf(file)}`).join(), () => list(null));
}

function remembered(name: string, mark: string, list: () => Promise<string>): Promise<Entries> {
  const last = known.get(name);
  if (last?.mark === mark) return last.entries;
  const entries = list().then((listed) => parseConfigList(listed).map(([key, value]) => [key, value ?? ''] as const));
  known.set(name, { mark, entries });
  // A git that could not be started is asked again.
  entries.catch(() => known.delete(name));
  return entries;
}

const included = (from: string, path: string): string =>
  path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(from), path);

let looked = 0;

/** Equal only if nothing changed in between. Empty: there is no such file. */
export function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return '';
  const { ino, size, mtimeMs, ctimeMs } = stat;
  const isFresh = Math.abs(Date.now() - ctimeMs) < TICK_MS;
  return [ino, size, mtimeMs, ctimeMs, isFresh ? (looked += 1) : 0].join(' ');
}

/** What `git config -z --list` prints, in order. Null: a key without a value, which means true. git writes section and name in lower case. */
export function parseConfigList(listed: string): readonly (readonly [key: string, value: string | null])[] {
  return listed
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const cut = record.indexOf('\n');
      return cut === -1 ? [record, null] : [record.slice(0, cut), record.slice(cut + 1)];
    });
}
