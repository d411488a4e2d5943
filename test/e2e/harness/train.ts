import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import { expect } from 'vitest';

import { summaryOf } from './answers.ts';
import type { ProjectSpec } from './project.ts';
import { project } from './project.ts';
import { beside, ralph } from './ralph.ts';
import type { Scratch } from './scratch.ts';
import { until } from './until.ts';
import { watchRefs } from './values.ts';

/** A gate whose runs can be counted and held from outside. What it thinks of a tree is `truth` alone. */
export interface WatchedGate {
  readonly command: string;
  readonly truth: string;
  readonly runs: () => number;
  /** Runs from now on wait in the middle, until let go. */
  readonly hold: () => void;
  readonly letGo: () => void;
  /** Resolves when so many runs have begun. */
  readonly begun: (runs: number) => Promise<unknown>;
}

/** A line that ends a shell agent's run as done. */
export const CLAIM = "echo '<promise>COMPLETE</promise>'";
/** What an honest shell agent leaves. */
export const OWN_FILE = 'echo "made by $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"';

export function watchedGate(one: Scratch, truth: string): WatchedGate {
  const [record, held] = [beside(one, 'gate-runs'), beside(one, 'gate-held')];
  const runs = (): number => (existsSync(record) ? readFileSync(record, 'utf8').split('\n').length - 1 : 0);
  return {
    command: `echo run >> ${record}; while test -e ${held}; do sleep 0.1; done; ( ${truth} )`,
    truth,
    runs,
    hold: () => writeFileSync(held, ''),
    letGo: () => rmSync(held),
    begun: (wanted) => until(`${wanted} runs of the gate`, () => runs() >= wanted),
  };
}

/** An `[agents.NAME]` table for a shell script; each prompt it gets is kept. */
export function shellAgent(one: Scratch, name: string, script: string): Readonly<Record<string, unknown>> {
  const [program, prompts] = [beside(one, `${name}.sh`), beside(one, 'prompts')];
  mkdirSync(prompts, { recursive: true });
  writeFileSync(program, `set -e\ncat > ${prompts}/${name}.$RALPH_TASK_ID.$RALPH_ITERATION\n${script}\n`);
  return { command: ['sh', program] };
}

/** The prompt of one iteration of a shell agent. */
export function promptOf(one: Scratch, name: string, task: string, iteration: number): string {
  return readFileSync(beside(one, `prompts/${name}.${task}.${iteration}`), 'utf8');
}

/** How many iterations of this task a shell agent was given. */
export function iterationsOf(one: Scratch, name: string, task: string): number {
  let n = 0;
  while (existsSync(beside(one, `prompts/${name}.${task}.${n + 1}`))) n += 1;
  return n;
}

/** A shell line that waits until so many tasks stand at it: all of them began on the same base. It counts without a process. */
export function barrier(one: Scratch, count: number): string {
  const folder = beside(one, 'barrier');
  mkdirSync(folder, { recursive: true });
  return `: > ${folder}/$RALPH_TASK_ID; set -- ${folder}/*; while [ $# -lt ${count} ]; do sleep 0.1; set -- ${folder}/*; done`;
}

export interface TrainSpec extends Omit<ProjectSpec, 'agent' | 'byTask'> {
  readonly script: string;
  readonly gate: WatchedGate;
}

/** A project with a shell agent and a watched gate, which nobody runs on main itself; each value integration takes is written down. */
export function trainProject(one: Scratch, spec: TrainSpec): void {
  const { script, gate, config = {}, ...rest } = spec;
  project(one, {
    ...rest,
    config: {
      agent: 'shell',
      ...config,
      gates: { commands: [gate.command], base: false, ...(config['gates'] as object) },
      'agents.shell': shellAgent(one, 'shell', script),
    },
  });
  watchRefs(one);
}

/** The same with everything done and nothing landed. */
export async function readyTrain(
  one: Scratch,
  spec: TrainSpec & { readonly tasks: readonly string[] },
  workers = 4,
): Promise<void> {
  const parallel = { ...(spec.config?.['parallel'] as object), merge_policy: 'manual' };
  trainProject(one, { ...spec, config: { ...spec.config, parallel } });
  const { stdout, stderr } = await ralph(one, ['run', '--parallel', '--max-workers', String(workers), '--json']);
  expect(summaryOf(stdout), stderr).toMatchObject({ ready: [...spec.tasks].sort(), parked: [] });
}

/** A commit of the user's, in their own checkout. */
export function userCommits(one: Scratch, files: Readonly<Record<string, string>>, message = 'My own'): string {
  for (const [path, text] of Object.entries(files)) {
    one.put(path, text);
    one.git('add', path);
  }
  one.git('commit', '-q', '-m', message);
  return one.git('rev-parse', 'HEAD');
}
