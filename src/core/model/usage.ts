/** What work cost, as far as the agent told. */
export interface Usage {
  /** Everything read, what came from a cache included. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars; null: the agent does not tell and no price is set. */
  readonly costUsd: number | null;
  /** billed: the agent's own figure for a key that is charged; estimated: from set prices, or a subscription pays. */
  readonly costKind: CostKind | null;
  /** Answers of the model. */
  readonly turns: number;
  readonly model: string | null;
}

export type CostKind = 'billed' | 'estimated';

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: null,
  costKind: null,
  turns: 0,
  model: null,
};

/** Two usages as one. A sum is only billed if every part of it was. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costs = [a, b].filter((one) => one.costUsd !== null);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + (one.costUsd ?? 0), 0),
    costKind: costs.length === 0 ? null : costs.every((one) => one.costKind === 'billed') ? 'billed' : 'estimated',
    turns: a.turns + b.turns,
    model: b.model ?? a.model,
  };
}

export const tokensOf = (usage: Usage): number => usage.inputTokens + usage.outputTokens;

/** What may be spent; null: no bound. */
export interface Budget {
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
}

/** Says which bound is reached, in words; null: there is room. */
export function overspent(usage: Usage, budget: Budget): string | null {
  const { maxCostUsd, maxTokens } = budget;
  if (maxCostUsd !== null && (usage.costUsd ?? 0) >= maxCostUsd)
    return `$${(usage.costUsd ?? 0).toFixed(2)} of $${maxCostUsd.toFixed(2)} spent`;
  if (maxTokens !== null && tokensOf(usage) >= maxTokens) return `${tokensOf(usage)} of ${maxTokens} tokens used`;
  return null;
}

/** Dollars left under every one of these budgets; null: no bound. */
export function dollarsLeft(pairs: readonly { readonly usage: Usage; readonly budget: Budget }[]): number | null {
  const left = pairs.flatMap(({ usage, budget }) =>
    budget.maxCostUsd === null ? [] : [Math.max(0, budget.maxCostUsd - (usage.costUsd ?? 0))],
  );
  return left.length === 0 ? null : Math.min(...left);
}
