import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors.ts';
import type { HostPolicy } from '../../core/model.ts';
import type { Driver, Settings } from '../../core/settings.ts';
import type { ChosenAgent } from '../../world/choose-agent.ts';

export interface PolicyFacts {
  readonly settings: Settings;
  readonly tracker: string;
  readonly target: string;
  /** Empty: this host only lands. */
  readonly agents: readonly ChosenAgent[];
}

/** What the settings ask of a host that runs loops. One slot unless parallel work was opted into. */
export function runPolicy({ settings, tracker, target, agents }: PolicyFacts): HostPolicy {
  return {
    tracker,
    slots: settings.parallel.enabled ? settings.parallel.maxWorkers : 1,
    strategy: settings.parallel.strategy,
    mergePolicy: settings.parallel.mergePolicy,
    limits: settings.limits,
    target,
    publish: settings.landing.publish,
    method: settings.landing.method,
    agents: agents.map(({ name, settings: { account } }) => ({ name, account })),
    budget: settings.run,
    gatesHash: createHash('sha256').update(JSON.stringify(settings.gates.commands)).digest('hex').slice(0, 12),
    hasGates: settings.gates.commands.length > 0,
  };
}

/** What the settings name and this version cannot do is refused before anything starts. */
export function refuseUnsupported(settings: Settings): void {
  if (settings.parallel.mergePolicy === 'pr')
    throw new AppError(
      'E_UNSUPPORTED',
      'merge_policy "pr" is not supported yet; manual keeps the branches ready, auto_merge lands them',
      { remedy: 'ralph config set parallel.merge_policy manual' },
    );
}

/** Drivers whose clients tell what they cost. */
const TELLS_COST: ReadonlySet<Driver> = new Set(['claude', 'claude-stdio', 'opencode', 'pi', 'cline', 'jsonl', 'acp']);

/** A bound in dollars means nothing for an agent that never names a price. */
export function budgetWarnings({ limits, run }: Settings, agents: readonly ChosenAgent[]): readonly string[] {
  if (limits.maxCostUsd === null && run.maxCostUsd === null) return [];
  return agents
    .filter(({ settings }) => settings.price === null && !TELLS_COST.has(settings.driver))
    .map(
      ({ name }) =>
        `agent ${name} does not tell what it costs, so max_cost does not bound it. Set [agents.${name}.price], or max_tokens`,
    );
}
