import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Toml } from './project.ts';
import { project } from './project.ts';
import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';

export const PROMISE = "echo '<promise>COMPLETE</promise>'";
/** Writes the file it was asked for, and says so. */
export const HONEST_SH = `echo "made by $name" > "$name.txt"\n${PROMISE}`;

/** What a loop is asked to do by the agents of these tests. */
export const promptFor = (name: string): string => `make ${name} now`;

/**
 * A project without tasks, whose agent is a shell script that finds its name in the prompt and writes down, beside the
 * repository, where it works and what it was told.
 */
export function promptProject(one: Scratch, script = HONEST_SH, config: Toml = {}, agent = {}): void {
  mkdirSync(beside(one, 'books'), { recursive: true });
  writeAgent(one, script);
  const command = ['sh', beside(one, 'agent.sh')];
  project(one, {
    tasks: {},
    config: { agent: 'shell', parallel: {}, ...config, 'agents.shell': { command, ...agent } },
  });
}

/** Replaces what agents do from the next iteration on. */
export function writeAgent(one: Scratch, script: string): void {
  const head = `set -e
BOOKS='${beside(one, 'books')}'
prompt=$(cat)
name=$(printf '%s\\n' "$prompt" | sed -n 's/.*make \\([a-z0-9-]*\\) now.*/\\1/p' | head -n 1)
printf '%s\\n' "$prompt" > "$BOOKS/$name.prompt"
pwd -P >> "$BOOKS/$name.pwd"
hold() { while ! test -e "$BOOKS/$1"; do sleep 0.1; done; }
`;
  writeFileSync(beside(one, 'agent.sh'), `${head}${script}\n`);
}

const bookOf = (one: Scratch, name: string): string => join(beside(one, 'books'), name);

/** What agents wrote into one of their books; empty: nothing yet. */
export const readBook = (one: Scratch, name: string): string =>
  existsSync(bookOf(one, name)) ? readFileSync(bookOf(one, name), 'utf8') : '';

/** Tells agents that wait for this word to go on. */
export const tellAgents = (one: Scratch, word: string): void => writeFileSync(bookOf(one, word), '');

/** Folders in which the agent of that name was started, in order. */
export const foldersOf = (one: Scratch, name: string): readonly string[] =>
  readBook(one, `${name}.pwd`)
    .split('\n')
    .filter((line) => line !== '');
