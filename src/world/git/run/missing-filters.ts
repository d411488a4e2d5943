import { statSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError } from '../../../core/model/errors.ts';
import { ASK_FILTERS, type FilterSetting, filterMissing, filtersIn, isMissing } from './filter-settings.ts';
import { HARDENED, gitEnvironment, runGit } from './run-git.ts';

/** Filters that git is told to use and whose program this machine lacks: a checkout that needs one would fail as a whole. */
export const missingFilters = async (cwd: string, env: GitVariables = {}): Promise<readonly string[]> =>
  namesOf(await missingHere(cwd, env));

/** Every filter that git is told to use. */
export const allFilters = async (cwd: string): Promise<readonly string[]> => namesOf(await filtersHere(cwd));

/** One error for each missing filter that files here are to go through. */
export async function missedFilters(cwd: string): Promise<readonly AppError[]> {
  const missing = new Map((await missingHere(cwd)).map((filter) => [filter.name, filter]));
  const missed: AppError[] = [];
  for (const filter of missing.values()) {
    const args = ['ls-files', '-z', '--', `:(top,attr:filter=${filter.name})`];
    // A name that no pattern can hold is in no list of attributes either.
    const { stdout } = await runGit([...HARDENED, ...args], { cwd, ok: [0, 128] });
    if (stdout !== '') missed.push(filterMissing(filter));
  }
  return missed;
}

const namesOf = (filters: readonly FilterSetting[]): readonly string[] => [...new Set(filters.map(({ name }) => name))];

type GitVariables = Readonly<Record<string, string>>;

const missingHere = async (cwd: string, env: GitVariables = {}): Promise<readonly FilterSetting[]> =>
  (await filtersHere(cwd, env)).filter((filter) => isMissing(filter, gitEnvironment(), cwd));

const filtersHere = async (cwd: string, env: GitVariables = {}): Promise<readonly FilterSetting[]> =>
  filtersIn((await runGit([...HARDENED, ...ASK_FILTERS], { cwd, env, ok: [0, 1] })).stdout);

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
