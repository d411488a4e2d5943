import { expect } from 'vitest';

import { processesOf } from './processes.ts';
import type { RalphOptions, Result, Running } from './ralph.ts';
import { startRalph } from './ralph.ts';
import type { Scratch } from './scratch.ts';
import { until } from './until.ts';

/** Runs the program until it dies at this failpoint; what it had started lives on. */
export async function crashAt(
  one: Scratch,
  args: readonly string[],
  point: string,
  options: RalphOptions = {},
): Promise<Result> {
  const result = await startRalph(one, args, { ...options, failpoints: `${point}=kill` }).ended;
  expect(result.stderr, `${point} is reached`).toContain(`failpoint ${point.replace(/#\d+$/, '')} kill`);
  expect(result.signal).toBe('SIGKILL');
  return result;
}

/** kill -9 of the host alone. */
export async function killHost(host: Running): Promise<void> {
  host.signal('SIGKILL');
  await host.ended;
}

/** kill -9 of everything that works for loops, as if the machine had run out of memory. */
export async function killAgents(one: Scratch, isMeant: (command: string) => boolean = () => true): Promise<void> {
  const meant = () => processesOf(one.root).filter((found) => found.isLoops && isMeant(found.command));
  await until('all agents are dead', () => {
    for (const { pid } of meant()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
    return meant().length === 0;
  });
}
