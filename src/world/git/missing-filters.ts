import { statSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findExecutable } from '../processes/environment.ts';
import { parseConfigList } from './config-list.ts';
import { HARDENED, gitEnvironment, runGit } from './run-git.ts';

const ASKED = /^filter\.(.+)\.(?:smudge|clean|process)$/s;

/** Filters that git is told to use and whose program this machine lacks: a checkout that needs one would fail as a whole. */
export const missingFilters = (cwd: string): Promise<readonly string[]> =>
  filtersWhere(cwd, (command) => isMissing(command, cwd));

/** Every filter that git is told to use. */
export const allFilters = (cwd: string): Promise<readonly string[]> => filtersWhere(cwd, () => true);

async function filtersWhere(cwd: string, fits: (command: string) => boolean): Promise<readonly string[]> {
  const { stdout } = await runGit([...HARDENED, 'config', '-z', '--get-regexp', '^filter\\.'], { cwd, ok: [0, 1] });
  const found = new Set<string>();
  for (const [key, value] of parseConfigList(stdout)) {
    const name = ASKED.exec(key)?.[1];
    if (name !== undefined && !name.includes('=') && fits(value ?? '')) found.add(name);
  }
  return [...found];
}

/** Flags under which git leaves what these filters would turn into files as it is stored. */
export const withoutFilters = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    ['smudge=', 'clean=', 'process=', 'required=false'].flatMap((setting) => ['-c', `filter.${name}.${setting}`]),
  );

/**
 * Git looks once more, through its filter, at every file that is as young as the index, to the second. Where the filter is missing
 * that would fail, so the index of new files is made younger than they are. Nobody works on them yet.
 */
export async function outliveRacyFiles(index: string): Promise<void> {
  const nextSecondMs = (Math.floor(statSync(index).mtimeMs / 1000) + 1) * 1000;
  while (Date.now() < nextSecondMs) await sleep(nextSecondMs - Date.now() + 1);
  const now = new Date();
  utimesSync(index, now, now);
}

/** Only what is a plain program: a line of shell may find its own way. */
function isMissing(command: string, cwd: string): boolean {
  const [program = '', first = ''] = command.trim().split(/\s+/);
  const name = program === 'git' && /^[\w-]+$/.test(first) ? `git-${first}` : program;
  return /^[\w./-]+$/.test(name) && findExecutable(name, gitEnvironment(), cwd) === null;
}
