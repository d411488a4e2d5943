import { expect, it } from 'vitest';
import { loopId, sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { EMPTY_STATE } from '../../core/model/model.ts';
import type { World } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';
import { othersTouched } from './others-touched.ts';

const loop = (name: string): Loop =>
  ({
    id: loopId(name),
    task: `PRD.md#${name}`,
    claimedAt: 0,
    phase: { at: 'iterating', n: 1 },
    worktree: `/${name}`,
    base: sha('a'.repeat(40)),
  }) as unknown as Loop;

it('loops that start together ask about each of the others once, and again when that may have changed', async () => {
  let nowMs = 4999;
  const asked: string[] = [];
  const names = Array.from({ length: 20 }, (_, at) => `t${at}`);
  const loops = Object.fromEntries(names.map((name) => [name, loop(name)]));
  const state = { ...EMPTY_STATE, loops } as State;
  const world = {
    clock: { nowMs: () => nowMs, awakeMs: () => nowMs },
    worktrees: {
      touched: async (path: string) => {
        asked.push(path);
        if (path === '/t2') throw new Error('gone');
        return [`${path.slice(1)}-${nowMs}.txt`];
      },
    },
  } as unknown as World;
  const context = { world, state: () => state } as unknown as PerformContext;
  const starting = names.slice(-5).map(loop);
  const ask = (): Promise<unknown> => Promise.all(starting.map((one) => othersTouched(context, one)));

  expect([await ask(), asked]).toEqual([[[], [], [], [], []], []]);
  nowMs = 5000;
  await ask();
  nowMs = 9999;
  const [first, ...rest] = (await ask()) as readonly (readonly { readonly path: string }[])[];
  const eight = ['/t0', '/t1', '/t2', '/t3', '/t4', '/t5', '/t6', '/t7'];
  expect(asked).toEqual(eight);
  expect(first?.map((one) => one.path)).toEqual(
    ['t0', 't1', 't3', 't4', 't5', 't6', 't7'].map((name) => `${name}-5000.txt`),
  );
  for (const one of rest) expect(one).toEqual(first);
  nowMs = 10_000;
  expect(JSON.stringify(await ask())).toContain('t0-10000.txt');
  expect(asked).toEqual([...eight, ...eight]);
});
