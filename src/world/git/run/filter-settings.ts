import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findExecutable } from '../../processes/environment.ts';

/** A filter that git is told to use. */
export interface FilterSetting {
  readonly name: string;
  /** Null: a line of shell, which may find its own way. */
  readonly program: string | null;
  /** Which of git's files says so: `local`, `global`, … */
  readonly scope: string;
}

const ASKED = /^filter\.(.+)\.(?:smudge|clean|process)\n(.*)$/s;

/** What to ask git for. Outside of any worktree it executes nothing. */
export const ASK_FILTERS: readonly string[] = ['config', '--show-scope', '-z', '--get-regexp', String.raw`^filter\.`];

/** The settings in its answer, one for each command. */
export function filtersIn(answer: string): readonly FilterSetting[] {
  const fields = answer.split('\0');
  const found: FilterSetting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, name, command = ''] = ASKED.exec(fields[at + 1] ?? '') ?? [];
    if (name !== undefined && !name.includes('='))
      found.push({ name, program: programOf(command), scope: fields[at] ?? '' });
  }
  return found;
}

export const isMissing = ({ program }: FilterSetting, env: Readonly<Record<string, string>>, cwd: string): boolean =>
  program !== null && findExecutable(program, env, cwd) === null;

/** Whether git's complaint is that this program is not there: as the shell says it, or git of a command of its own. */
export const isBlamed = ({ program }: FilterSetting, stderr: string): boolean =>
  program !== null &&
  (stderr.includes(`${program}: not found`) ||
    stderr.includes(`${program}: command not found`) ||
    stderr.includes(`${program}: No such file`) ||
    stderr.includes(`cannot run ${program}`) ||
    stderr.includes(`${['', program.replace(/^git-/, ''), ''].join("'")} is not a git command`));

export const filterMissing = ({ name, program, scope }: FilterSetting): AppError =>
  new AppError('E_FILTER_MISSING', `the filter ${name} (${program}) that .gitattributes asks for is not installed`, {
    remedy: `install ${program}, or do without: git config --${scope} --remove-section ${shellWord(`filter.${name}`)}`,
  });

function programOf(command: string): string | null {
  const [program = '', first = ''] = command.trim().split(/\s+/);
  const name = program === 'git' && /^[\w-]+$/.test(first) ? `git-${first}` : program;
  return /^[\w./-]+$/.test(name) ? name : null;
}
