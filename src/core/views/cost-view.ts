import { isoMs } from '../model/describe-time.ts';
import type { Loop, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import { taskIdOf } from '../model/tasks.ts';
import type { Budget, Usage } from '../model/usage.ts';
import { NO_USAGE, addUsage, tokensOf } from '../model/usage.ts';

export interface UsageView {
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
  readonly cost_kind: string | null;
  readonly turns: number;
  readonly model: string | null;
}

export interface BudgetView {
  readonly max_cost_usd: number | null;
  readonly cost_left_usd: number | null;
  readonly max_tokens: number | null;
  readonly tokens_left: number | null;
}

export interface LoopCost {
  readonly loop: string;
  readonly agent: string;
  readonly iterations: readonly ({ readonly n: number; readonly agent: string } & UsageView)[];
  readonly usage: UsageView;
  readonly budget: BudgetView;
}

export interface CostView {
  readonly version: 1;
  readonly total: UsageView;
  readonly run: UsageView & {
    readonly is_open: boolean;
    /** null: there was none. */
    readonly since: string | null;
    readonly overspent: string | null;
    readonly budget: BudgetView;
  };
  readonly agents: readonly ({ readonly agent: string } & UsageView)[];
  readonly tasks: readonly { readonly task: string; readonly usage: UsageView; readonly loops: readonly LoopCost[] }[];
}

export interface CostOptions {
  /** Only tasks of this tracker; null: of all. */
  readonly tracker: string | null;
  /** What a run and what a loop may spend. */
  readonly run: Budget;
  readonly loop: Budget;
}

/** What everything cost, by task, loop and iteration, by agent, for this run and in all. */
export function costView(state: State, options: CostOptions): CostView {
  const loops = loopsOf(state).filter(
    (loop) => options.tracker === null || loop.task.startsWith(`${options.tracker}#`),
  );
  const { run } = state;
  return {
    version: 1,
    total: usageView(sum(loops.map((loop) => loop.usage))),
    run: {
      ...usageView(run.usage),
      is_open: run.isOpen,
      since: run.since === 0 ? null : isoMs(run.since),
      overspent: run.overspent,
      budget: budgetView(run.usage, options.run),
    },
    agents: byAgent(loops),
    tasks: [...new Set(loops.map((loop) => loop.task))].map((task) => {
      const own = loops.filter((loop) => loop.task === task);
      return {
        task: taskIdOf(state, task),
        usage: usageView(sum(own.map((loop) => loop.usage))),
        loops: own.map((loop) => loopCost(loop, options.loop)),
      };
    }),
  };
}

/** Dollars, with `~` before a figure nobody was billed; `-`: nobody knows. */
export function costInWords(usage: Pick<UsageView, 'cost_usd' | 'cost_kind'>): string {
  if (usage.cost_usd === null) return '-';
  return `${usage.cost_kind === 'billed' ? '' : '~'}$${usage.cost_usd.toFixed(usage.cost_usd < 1 ? 4 : 2)}`;
}

function loopCost(loop: Loop, budget: Budget): LoopCost {
  return {
    loop: loop.id,
    agent: loop.agent,
    iterations: loop.spends.map(({ n, agent, usage }) => ({ n, agent, ...usageView(usage) })),
    usage: usageView(loop.usage),
    budget: budgetView(loop.usage, budget),
  };
}

function byAgent(loops: readonly Loop[]): CostView['agents'] {
  const sums = new Map<string, Usage>();
  const add = (agent: string, usage: Usage): void => void sums.set(agent, addUsage(sums.get(agent) ?? NO_USAGE, usage));
  for (const loop of loops) {
    for (const { agent, usage } of loop.spends) add(agent, usage);
    // A long loop remembers its last iterations only: what came before them was its first agent's.
    const before = minus(loop.usage, sum(loop.spends.map(({ usage }) => usage)));
    if (tokensOf(before) > 0) add(loop.agent, before);
  }
  return [...sums].map(([agent, usage]) => ({ agent, ...usageView(usage) }));
}

const sum = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, NO_USAGE);

function minus(all: Usage, part: Usage): Usage {
  const left = (of: (usage: Usage) => number): number => Math.max(0, of(all) - of(part));
  return {
    inputTokens: left((usage) => usage.inputTokens),
    cachedTokens: left((usage) => usage.cachedTokens),
    outputTokens: left((usage) => usage.outputTokens),
    costUsd: all.costUsd === null ? null : left((usage) => usage.costUsd ?? 0),
    costKind: all.costKind,
    turns: left((usage) => usage.turns),
    model: null,
  };
}

export function usageView(usage: Usage): UsageView {
  return {
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd,
    cost_kind: usage.costKind,
    turns: usage.turns,
    model: usage.model,
  };
}

function budgetView(usage: Usage, { maxCostUsd, maxTokens }: Budget): BudgetView {
  return {
    max_cost_usd: maxCostUsd,
    cost_left_usd: maxCostUsd === null ? null : Math.max(0, maxCostUsd - (usage.costUsd ?? 0)),
    max_tokens: maxTokens,
    tokens_left: maxTokens === null ? null : Math.max(0, maxTokens - tokensOf(usage)),
  };
}
