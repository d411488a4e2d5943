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

interface Looked {
  readonly settings: Settings;
  /** Every file it came from or could have come from, and how it was. */
  readonly marks: ReadonlyMap<string, string>;
}

/** What is written in the same tick of the kernel in which it was looked at may be written once more without a trace. */
const TICK_MS = 50;
const DEPTH_MAX = 10;
const looks = new Map<string, Looked>();

/** What these files set by now; reads them only if one of them has changed since. */
export async function lookAtSettings(files: readonly string[], list: ListSettings): Promise<Settings> {
  const key = files.join('\0');
  const known = looks.get(key);
  if (known !== undefined && [...known.marks].every(([file, mark]) => markOf(file) === mark)) return known.settings;
  const settings: Record<string, string[]> = {};
  const marks = new Map<string, string>();
  for (const file of files) await read(file, 0, { settings, marks, list });
  looks.set(key, { settings, marks });
  return settings;
}

interface Reading extends Looked {
  readonly settings: Record<string, string[]>;
  readonly marks: Map<string, string>;
  readonly list: ListSettings;
}

/** Conditions of includes are taken for fulfilled: they hold in one worktree and not in the next. */
async function read(file: string, depth: number, reading: Reading): Promise<void> {
  if (depth > DEPTH_MAX || reading.marks.has(file)) return;
  const mark = markOf(file);
  reading.marks.set(file, mark);
  if (mark === '') return;
  for (const [key, value] of parseSettings(await reading.list(file))) {
    if (inertValue(key) !== null) (reading.settings[key] ??= []).push(value);
    if (/^include(?:if\..+)?\.path$/s.test(key)) await read(included(file, value), depth + 1, reading);
  }
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

export function parseSettings(listed: string): readonly (readonly [key: string, value: string])[] {
  const entries = listed.split('\0').filter((entry) => entry !== '');
  return entries.map((entry) => {
    const cut = entry.indexOf('\n');
    return cut === -1 ? [entry, ''] : [entry.slice(0, cut), entry.slice(cut + 1)];
  });
}
