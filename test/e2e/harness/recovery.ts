import { existsSync } from 'node:fs';

import { expect } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { parseEvents, taskOf } from './events.ts';
import type { RalphEvent } from './events.ts';
import { landedTasks } from './git.ts';
import { starts } from './project.ts';
import { beside, ralph } from './ralph.ts';
import type { Scratch } from './scratch.ts';
import { alwaysGreen, INT } from './values.ts';

export const RUN = ['run', '--parallel', '--max-workers', '4', '--events'];
export const TRUTH = 'test ! -e BROKEN';

/** An agent says that it is there. */
export const say = (one: Scratch): Step => ({ write: { path: beside(one, 'here-${task}'), text: '' } });
export const isHere = (one: Scratch, task: string): boolean => existsSync(beside(one, `here-${task}`));
/** An agent waits until it is told to go on. */
export const wait = (one: Scratch, name: string): Step => ({ waitForFile: { path: beside(one, name) } });

/** Starts of agents by task. */
export function startsOf(one: Scratch): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { task } of starts(one)) count[task] = (count[task] ?? 0) + 1;
  return count;
}

/** Everything landed once, is published, and was green all the way. */
export function allLanded(one: Scratch, tasks: readonly string[]): void {
  expect(landedTasks(one.git, INT).sort()).toEqual([...tasks].sort());
  expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', INT));
  for (const task of tasks) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
  alwaysGreen(one, TRUTH);
}

/** Runs to the end and finds everything landed. */
export async function runToTheEnd(
  one: Scratch,
  tasks: readonly string[],
  args: readonly string[] = RUN,
): Promise<readonly RalphEvent[]> {
  const { code, stdout, stderr } = await ralph(one, args);
  expect(code, stderr).toBe(0);
  allLanded(one, tasks);
  return parseEvents(stdout);
}

/** How iterations ended: `task n` to outcome and exit code. `claims`: events that tell whose loop is whose. */
export function endings(
  events: readonly RalphEvent[],
  claims: readonly RalphEvent[],
): Readonly<Record<string, readonly unknown[]>> {
  const tasks = new Map(
    claims.flatMap((event) => (event.type === 'task-claimed' ? [[event.loop, taskOf(event.task ?? '')]] : [])),
  );
  return Object.fromEntries(
    events
      .filter((event) => event.type === 'iteration-ended')
      .map((event) => [`${tasks.get(event.loop)} ${String(event['n'])}`, [event['outcome'], event['exit']]]),
  );
}
