import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfigList } from './config-list.ts';
import { isDraft, keepFile, keepLink } from './keep-entry.ts';
import { type Trust, trustOf } from './trust.ts';

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
export function layTrusted(commonDir: string, { config, files }: Trust): void {
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
