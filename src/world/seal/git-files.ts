import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere, namesIfThere, readIfThere } from '../os/read-if-there.ts';
import { parseConfigList } from '../git/run/executing-settings.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { mayHaveWorked } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';

/** A file of the git folder that decides what git does or runs. */
export interface GitFile {
  readonly mode: number;
  readonly hash: string;
  /** Git replaces its config by renaming, so a file written in place keeps its number. */
  readonly ino: number;
  /** That number is given again, often to git's second write; 0 where the file system does not know. */
  readonly birthMs: number;
  readonly mtimeMs: number;
  /** Base64; null: too large to copy. */
  readonly copy: string | null;
}

/** By path, from the git folder. */
export type GitFiles = Readonly<Record<string, GitFile>>;

const NAMES = ['config', 'config.worktree', 'info/attributes', 'info/grafts', 'info/exclude'];
const COPY_BYTES_MAX = 256 * 1024;

export function lookAtGitFiles(commonDir: string): GitFiles {
  const found: Record<string, GitFile> = {};
  for (const name of [...NAMES, ...worktreeConfigsIn(commonDir), ...hooksIn(commonDir)]) {
    const file = lookAtFile(join(commonDir, name));
    if (file !== null) found[name] = file;
  }
  return found;
}

/** Samples are never run. */
const hooksIn = (commonDir: string): readonly string[] =>
  namesIfThere(join(commonDir, 'hooks'))
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => `hooks/${name}`);

/** Settings of one linked worktree each. */
const worktreeConfigsIn = (commonDir: string): readonly string[] =>
  namesIfThere(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/config.worktree`);

export function lookAtFile(path: string): GitFile | null {
  const stat = ifThere(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined || stat.isDirectory()) return null;
  const bytes = stat.isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readIfThere(path);
  if (bytes === null) return null;
  return {
    mode: stat.mode,
    hash: createHash('sha256').update(bytes).digest('hex'),
    ino: stat.ino,
    birthMs: stat.birthtimeMs,
    mtimeMs: stat.mtimeMs,
    copy: bytes.length <= COPY_BYTES_MAX ? bytes.toString('base64') : null,
  };
}

export const isSameFile = (one: GitFile | undefined, other: GitFile | null | undefined): boolean =>
  one?.hash === other?.hash && one?.mode === other?.mode;

/** Values by key, as git reads them from one file and no other. */
export type ConfigKeys = ReadonlyMap<string, readonly string[]>;

export async function readKeys(cwd: string, text: Buffer): Promise<ConfigKeys> {
  const args = [...HARDENED, 'config', '--no-includes', '--file', '-', '--list', '-z'];
  const { code, stdout } = await runGit(args, { cwd, input: text, ok: [0, 1, 128] });
  const keys = new Map<string, string[]>();
  for (const [key, value] of parseConfigList(code === 0 ? stdout : ''))
    keys.set(key, [...(keys.get(key) ?? []), value ?? '']);
  return keys;
}

export function changedKeys(before: ConfigKeys, after: ConfigKeys): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)));
}

/** They make git run a program, read another file, or look for its files elsewhere. */
const DANGEROUS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|worktree|bare|alternaterefscommand|attributesfile)|sequence\.editor|filter\..*|merge\..*\.driver|mergetool\..*|difftool\..*|diff\.(?:.*\.)?(?:external|textconv|command)|gpg\.(?:.*\.)?program|credential\..*|include\.path|includeif\..*|alias\..*|uploadpack\..*|receive\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|pager\..*|interactive\.difffilter|url\..*|http\..*|init\.templatedir|protocol\..*|extensions\..*|ssh\..*|trailer\..*\.(?:command|cmd)|submodule\..*\.update)$/;

export const isDangerous = (key: string): boolean => DANGEROUS.test(key.toLowerCase());

/** Of its section, `git init` writes these and no others: what a user sets in the same moment is not its doing. */
const LAID_OUT =
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|symlinks|ignorecase|precomposeunicode|sharedrepository)$/;

/** What else writes into the config, and which keys. */
const WRITERS: Readonly<Record<string, RegExp>> = {
  init: LAID_OUT,
  clone: new RegExp(`${LAID_OUT.source}|^(?:remote|branch)\\.`),
  remote: /^(?:remote|branch)\./,
  branch: /^branch\./,
  checkout: /^branch\./,
  switch: /^branch\./,
  push: /^branch\./,
  pull: /^branch\./,
  worktree: /^(?:core\.(?:bare|worktree)$|(?:branch|extensions)\.)/,
  submodule: /^submodule\./,
  'sparse-checkout': /^(?:core\.(?:sparsecheckout|sparsecheckoutcone|bare|worktree)$|(?:extensions|index)\.)/,
  lfs: /^(?:filter|lfs)\./,
  maintenance: /^(?:maintenance|gc)\./,
};

export const writesConfig = ({ name }: GitCommand): boolean => name === 'config' || Object.hasOwn(WRITERS, name);

const WRITES = new Set(['--add', '--replace-all', '--unset', '--unset-all', 'set', 'unset']);
const SECTIONS = new Set(['--remove-section', '--rename-section', 'remove-section', 'rename-section']);
const READS = /^(?:--get.*|--list|-l|--name-only|--show-origin|get|list)$/;

/** Whether a command was told to make the key what it is now. To ask for it is no offence. */
export function setsKey(command: GitCommand, key: string, values: readonly string[]): boolean {
  const { name, args } = command;
  if (name !== 'config' || !mayHaveWorked(command) || args.some((arg) => READS.test(arg))) return false;
  const words = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.toLowerCase());
  if (args.some((arg) => SECTIONS.has(arg))) return words.some((word) => key.toLowerCase().startsWith(`${word}.`));
  const isWrite = words.length > 1 || args.some((arg) => WRITES.has(arg));
  return (
    isWrite && words.includes(key.toLowerCase()) && (values.length === 0 || values.some((one) => args.includes(one)))
  );
}

export const mayWriteKey = (command: GitCommand, key: string): boolean =>
  command.name === 'config' ? setsKey(command, key, []) : (WRITERS[command.name]?.test(key) ?? false);
