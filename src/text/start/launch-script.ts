import { invariant } from '../../core/model/assert.ts';

export interface Launch {
  /** What it starts, for whoever opens the file. */
  readonly what: string;
  readonly argv: readonly string[];
  /** The program if argv[0] is no longer where it was, looked for on PATH; null: it is there or nothing starts. */
  readonly otherwise: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Variables it must not hand on. */
  readonly unset: readonly string[];
  /** From the script's own folder to the one to work in. */
  readonly up: string;
  /** Where that was when it was written, for whoever starts it by a link. */
  readonly worktree: string;
}

/** By this line a script of ours is known again. */
export const WRITTEN_BY = '# Written by `ralph start`.';

/** Exactly this text, to any POSIX shell. */
export function shellQuote(text: string): string {
  invariant(!text.includes('\0'), 'no word of a command line holds NUL');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A script that may be started from anywhere, any time; what it is given goes on to the program. */
export function launchScript({ what, argv, otherwise, env, unset, up, worktree }: Launch): string {
  const [program = '', ...args] = argv;
  const words = args.map(shellQuote).join(' ');
  return [
    '#!/bin/sh',
    `# ${what.replaceAll(/\p{Cc}/gu, ' ')}`,
    `${WRITTEN_BY} Run it again whenever you like.`,
    'set -eu',
    // With CDPATH a relative folder could be found elsewhere.
    'unset CDPATH',
    'case $0 in',
    `  */*) at=\${0%/*}/${up} ;;`,
    `  *) at=./${up} ;;`,
    'esac',
    `if [ -L "$0" ] || [ ! -e "$at/.git" ]; then at=${shellQuote(worktree)}; fi`,
    'cd -- "$at"',
    ...Object.entries(env).map(([name, value]) => `export ${variable(name)}=${shellQuote(value)}`),
    ...unset.map((name) => `unset ${variable(name)}`),
    `program=${shellQuote(program)}`,
    ...(otherwise === null ? [] : [`[ -x "$program" ] || program=${shellQuote(otherwise)}`]),
    `exec "$program"${words === '' ? '' : ` ${words}`} "$@"`,
    '',
  ].join('\n');
}

function variable(name: string): string {
  invariant(/^[A-Za-z_]\w*$/.test(name), `${JSON.stringify(name)} is the name of a variable`);
  return name;
}
