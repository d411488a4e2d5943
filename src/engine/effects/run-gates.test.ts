import { describe, expect, it } from 'vitest';
import type { Command } from '../../core/model/commands.ts';
import { loopId, sha } from '../../core/model/ids.ts';
import { EMPTY_STATE } from '../../core/model/model.ts';
import type { PerformContext } from './perform-context.ts';
import { runGates } from './run-gates.ts';

const HEAD = sha('a'.repeat(40));
const LOOP = loopId('one-x');
const command = { type: 'run-gates', key: 'gates', loop: LOOP, fence: 1, n: 1 } as Extract<
  Command,
  { type: 'run-gates' }
>;

describe('gates that run', () => {
  it('are over before it is told that something else failed', async () => {
    const seen: string[] = [];
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const gates = async (): Promise<unknown> => {
      await ended;
      seen.push('gates over');
      return { report: { verdict: 'green', failing: null, tail: '' }, durationMs: 1 };
    };
    const world = {
      worktrees: {
        tip: async () => HEAD,
        changed: () => Promise.reject(new Error('git was killed')),
        linksOut: async () => [],
        tooLarge: async () => null,
      },
      integration: {
        preview: async () => null,
        treeOf: async () => HEAD,
        head: async () => HEAD,
        targetHead: async () => HEAD,
        findFlaw: async () => null,
      },
      gates: { run: gates, withWorktree: (_commit: string, act: (path: string) => unknown) => act('/gate') },
    };
    const loop = { id: LOOP, task: 't', worktree: '/w', branch: 'ralph/one', base: HEAD, rework: null };
    const context = {
      world,
      state: () => ({ ...EMPTY_STATE, loops: { [LOOP]: loop } }),
      policy: { hasGates: true, gateTimeoutAuto: false },
      needs: null,
    } as unknown as PerformContext;
    const told = runGates(context, command, new AbortController().signal).catch((error: Error) =>
      seen.push(error.message),
    );
    for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
    end();
    await told;
    expect(seen).toEqual(['gates over', 'git was killed']);
  });
});
