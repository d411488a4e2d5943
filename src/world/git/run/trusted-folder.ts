import {
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { parseConfigList } from './executing-settings.ts';
import type { Trust } from './trust.ts';
import { trustOf, TRUSTED_FILES, fileNow, holdInMemory, trustFile } from './trust.ts';
import { makePrivateFolder, writePrivately } from '../../os/files.ts';
import { withMutex } from '../../processes/mutex.ts';
import { isAlive, isSame, ownIdentity } from '../../processes/identity.ts';
import { sharedSettings } from './distrust.ts';
import { HARDENED, listSettings, runGit } from './run-git.ts';

/** What says how files look, what may run, or what is no business of a checkout. The rest is the repository's: objects, refs, what LFS keeps. */
const NOT_LINKED =
  /^(?:config.*|info|hooks|shallow|worktrees|paralph|HEAD|index|logs|.*\.lock|[A-Z_]+_HEAD|[A-Z_]+MSG)$/;

const folderOf = (commonDir: string): string => join(commonDir, 'paralph/trusted');

/**
 * Variables under which git in a worktree finds the objects of the repository, but goes by the settings and attributes that counted
 * before the run's first agent started, whatever was set since. None: no run is under way.
 */
export function trustedFolder(commonDir: string, gitDir: string, workTree: string): Readonly<Record<string, string>> {
  const trust = trustOf(commonDir);
  if (trust === null) return {};
  layTrusted(commonDir, trust);
  return { GIT_DIR: gitDir, GIT_COMMON_DIR: folderOf(commonDir), GIT_WORK_TREE: workTree };
}

/** Agents can reach it: each time, whatever is not as it should be is put right. */
function layTrusted(commonDir: string, { config, files }: Trust): void {
  const folder = folderOf(commonDir);
  const texts = new Map([['config', Buffer.from(configText(config))]]);
  for (const name of ['shallow', 'info/attributes', 'info/exclude'] as const) {
    const text = files[name];
    if (text !== null) texts.set(name, Buffer.from(text, 'latin1'));
  }
  const links = readdirSync(commonDir).filter((name) => !NOT_LINKED.test(name) && !isDraft(name));
  mkdirSync(join(folder, 'info'), { recursive: true, mode: 0o700 });
  const wanted = new Set([...texts.keys(), ...links, 'info']);
  const found = [...readdirSync(folder), ...readdirSync(join(folder, 'info')).map((name) => `info/${name}`)];
  // A filter may have made a folder for what it keeps before the repository had one.
  const isOfFilter = (name: string): boolean => links.includes(name) && !lstatSync(join(folder, name)).isSymbolicLink();
  for (const name of found)
    if (!isDraft(name) && (!wanted.has(name) || isOfFilter(name)))
      rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of links) keepLink(join(folder, name), join(commonDir, name));
  for (const [name, text] of texts) keepFile(join(folder, name), text);
}

/** The settings as one file; what it included is part of them. */
function configText(listed: string): string {
  const lines = parseConfigList(listed).map(([key, value]) => {
    const [, section = '', within, name = ''] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/s.exec(key) ?? [];
    if (/^include(?:if)?$/.test(section)) return '';
    const head = within === undefined ? section : `${section} ${quoted(within)}`;
    return `[${head}]\n\t${name}${value === null ? '' : ` = ${quoted(value)}`}\n`;
  });
  return lines.join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\t': String.raw`\t` };

/** As git reads it in a config file. */
const quoted = (text: string): string =>
  ['', text.replaceAll(/["\\\n\t]/g, (char) => ESCAPES[char] ?? `\\${char}`), ''].join('"');

/** Puts a link where it should be, unless it is there. By one rename, so several processes may do this at once. */
export function keepLink(path: string, target: string): void {
  if (orNull(() => readlinkSync(path)) === target) return;
  const aside = `${path}.${randomUUID()}`;
  symlinkSync(target, aside);
  putInPlace(aside, path);
}

/** The same for a file. */
export function keepFile(path: string, content: Buffer): void {
  if (orNull(() => readFileSync(path))?.equals(content) === true) return;
  const aside = `${path}.${randomUUID()}`;
  writeFileSync(aside, content, { mode: 0o600, flag: 'wx' });
  putInPlace(aside, path);
}

/** Whether somebody is just about to put this in place. */
const isDraft = (name: string): boolean => /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

function putInPlace(aside: string, path: string): void {
  try {
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Before an agent starts: what counts from now on is what a run that is under way goes by or, in a new one, what is set. */
export const holdTrust = (commonDir: string): Promise<void> => hold(commonDir, () => lookAround(commonDir));

/** At the start of a process that may take up what agents of another one did: what the other went by goes on to count. */
export const takeUpTrust = (commonDir: string): Promise<void> => hold(commonDir, () => null);

function hold(commonDir: string, begin: () => Promise<Trust> | null): Promise<void> {
  return withMutex(join(commonDir, 'paralph/locks/trust'), async () => {
    const own = ownIdentity();
    const known = trustOf(commonDir);
    if (known?.holders.some((holder) => isSame(holder, own)) === true) return layTrusted(commonDir, known);
    const found = known ?? (await begin());
    if (found === null) return;
    const { holders, ...rest } = found;
    const trust: Trust = { holders: [...holders.filter(isAlive), own], ...rest };
    makePrivateFolder(join(commonDir, 'paralph'));
    writePrivately(trustFile(commonDir), JSON.stringify(trust));
    holdInMemory(commonDir, trust);
    layTrusted(commonDir, trust);
  });
}

async function lookAround(commonDir: string): Promise<Trust> {
  const args = ['config', '--local', '--includes', '-z', '--list'];
  const { stdout } = await runGit([...HARDENED, ...args], { cwd: commonDir });
  const files = Object.fromEntries(TRUSTED_FILES.map((name) => [name, fileNow(commonDir, name)])) as Trust['files'];
  return { holders: [], settings: await sharedSettings(commonDir, listSettings), config: stdout, files };
}

/** What has been set since the run began and makes files look different. Nobody knows by whom; the next run will go by it. */
export async function setSince(commonDir: string): Promise<readonly string[]> {
  const trust = trustOf(commonDir);
  if (trust === null) return [];
  const now = await sharedSettings(commonDir, listSettings);
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trust.settings)])];
  const isOther = (key: string): boolean => JSON.stringify(now[key]) !== JSON.stringify(trust.settings[key]);
  const files = TRUSTED_FILES.filter(
    (name) => name !== 'info/exclude' && fileNow(commonDir, name) !== trust.files[name],
  );
  return [...keys.filter((key) => key.startsWith('filter.') && isOther(key)), ...files];
}
