import { describe, expect, it } from 'vitest';
import { costInWords, costView } from './cost-view.ts';
import { loopId } from '../model/ids.ts';
import type { TaskKey } from '../model/ids.ts';
import type { Loop, Spend, State } from '../model/model.ts';
import { EMPTY_STATE } from '../model/model.ts';
import type { Usage } from '../model/usage.ts';
import { NO_USAGE, addUsage } from '../model/usage.ts';

const NO_BUDGET = { maxCostUsd: null, maxTokens: null };
const ALL = { tracker: null, run: NO_BUDGET, loop: NO_BUDGET };

const used = (input: number, costUsd: number | null, kind: Usage['costKind'] = 'billed'): Usage => ({
  ...NO_USAGE,
  inputTokens: input,
  cachedTokens: input / 2,
  outputTokens: 1,
  turns: 1,
  costUsd,
  costKind: costUsd === null ? null : kind,
  model: 'm',
});

function loop(id: string, task: string, spends: readonly Spend[], forgotten: Usage = NO_USAGE): Loop {
  const usage = spends.reduce((sum, spend) => addUsage(sum, spend.usage), forgotten);
  return { id: loopId(id), task: task as TaskKey, agent: 'claude', spends, usage } as Loop;
}

const spend = (n: number, agent: string, usage: Usage): Spend => ({ n, agent, usage });

const STATE: State = {
  ...EMPTY_STATE,
  loops: Object.fromEntries(
    [
      loop('a-1', 'PRD.md#a', [spend(1, 'claude', used(10, 1)), spend(2, 'codex', used(20, 2, 'estimated'))]),
      loop('a-2', 'PRD.md#a', [spend(3, 'claude', used(30, 3))], used(100, 4)),
      loop('b-1', 'other.yaml#b', [spend(1, 'pi', used(40, null))]),
    ].map((one) => [one.id, one]),
  ),
  run: { isOpen: true, since: 5, usage: used(50, 6), overspent: null },
};

describe('costView', () => {
  it('sums iterations to loops, loops to tasks, and all of it', () => {
    const view = costView(STATE, ALL);
    expect(view.total).toMatchObject({ input_tokens: 200, cached_tokens: 100, output_tokens: 5, cost_usd: 10 });
    expect(view.total.cost_kind).toBe('estimated');
    expect(view.run).toMatchObject({ input_tokens: 50, cost_usd: 6, is_open: true, since: '1970-01-01T00:00:00.005Z' });
    expect(view.tasks.map(({ task, usage }) => [task, usage.cost_usd])).toEqual([
      ['a', 10],
      ['b', null],
    ]);
    expect(view.tasks[0]?.loops.map((one) => one.usage.input_tokens)).toEqual([30, 130]);
    expect(view.tasks[0]?.loops[0]?.iterations).toMatchObject([
      { n: 1, agent: 'claude', cost_usd: 1, cost_kind: 'billed', model: 'm' },
      { n: 2, agent: 'codex', cost_usd: 2, cost_kind: 'estimated' },
    ]);
  });

  it('gives every agent its own, also what a loop no longer remembers by iteration', () => {
    const { agents } = costView(STATE, ALL);
    expect(agents.map(({ agent, input_tokens, cost_usd }) => [agent, input_tokens, cost_usd])).toEqual([
      ['claude', 140, 8],
      ['codex', 20, 2],
      ['pi', 40, null],
    ]);
  });

  it('can be of one tracker', () => {
    const view = costView(STATE, { ...ALL, tracker: 'other.yaml' });
    expect(view.tasks.map(({ task }) => task)).toEqual(['b']);
    expect(view.total.input_tokens).toBe(40);
    expect(view.agents.map(({ agent }) => agent)).toEqual(['pi']);
  });

  it('tells what is left of a budget, and never less than nothing', () => {
    const view = costView(STATE, {
      tracker: null,
      run: { maxCostUsd: 20, maxTokens: 40 },
      loop: { maxCostUsd: 5, maxTokens: null },
    });
    expect(view.run.budget).toEqual({ max_cost_usd: 20, cost_left_usd: 14, max_tokens: 40, tokens_left: 0 });
    expect(view.tasks[0]?.loops.map(({ budget }) => budget.cost_left_usd)).toEqual([2, 0]);
    expect(view.tasks[0]?.loops[0]?.budget.tokens_left).toBeNull();
  });

  it('is empty before anything ran', () => {
    expect(costView(EMPTY_STATE, ALL)).toMatchObject({ total: { cost_usd: null, turns: 0 }, agents: [], tasks: [] });
  });
});

describe('costInWords', () => {
  it('marks what nobody was billed', () => {
    expect(costInWords({ cost_usd: 1.5, cost_kind: 'billed' })).toBe('$1.50');
    expect(costInWords({ cost_usd: 0.0148, cost_kind: 'estimated' })).toBe('~$0.0148');
    expect(costInWords({ cost_usd: null, cost_kind: null })).toBe('-');
  });
});
