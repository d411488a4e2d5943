import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { HostPolicy, TrainPolicy } from '../../../core/model/model.ts';
import type { Driver, Settings } from '../../../core/model/settings.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import { hasPipe, uncountedIn } from '../../../text/shell/gate-line.ts';
import { environmentHash } from '../../../world/processes/environment.ts';
import { hasPipefail, shellFor } from '../../../world/processes/run-command.ts';

export interface PolicyFacts {
  readonly settings: Settings;
  readonly tracker: string;
  readonly target: string;
  /** Empty: this host only lands. */
  readonly agents: readonly ChosenAgent[];
  /** Who resolves conflicts; null: whoever made the work. */
  readonly resolver: ChosenAgent | null;
  readonly env: NodeJS.ProcessEnv;
}

/** What the settings ask of a host that runs loops. One slot unless parallel work was opted into. */
export function runPolicy({ settings, tracker, target, agents, resolver, env }: PolicyFacts): HostPolicy {
  const { commands, passEnv } = settings.gates;
  return {
    tracker,
    slots: settings.parallel.enabled ? settings.parallel.maxWorkers : 1,
    maxWorkers: settings.parallel.maxWorkers,
    strategy: settings.parallel.strategy,
    mergePolicy: settings.parallel.mergePolicy,
    ...(settings.landing.maxWaiting === null ? {} : { maxWaiting: settings.landing.maxWaiting }),
    limits: settings.limits,
    target,
    publish: settings.landing.publish,
    method: settings.landing.method,
    agents: agents.map(({ name, settings: { account } }) => ({ name, account })),
    budget: settings.run,
    project: settings.project,
    resolver: resolver === null ? null : { name: resolver.name, account: resolver.settings.account },
    gatesHash: createHash('sha256')
      .update(JSON.stringify([commands, shellFor(env), passEnv, environmentHash(env, passEnv)]))
      .digest('hex')
      .slice(0, 12),
    gates: commands,
    hasGates: settings.gates.commands.length > 0,
    base: settings.gates.base ? 'hold' : 'off',
    gateTimeoutAuto: settings.gates.timeoutAuto,
    train: trainPolicy(settings),
    place: { at: 'worktree' },
    only: null,
  };
}

function trainPolicy({ landing, parallel }: Settings): TrainPolicy {
  return {
    gateSlots: landing.gateSlots,
    cores: availableParallelism(),
    flakeRetries: landing.flakeRetries,
    onConflict: parallel.conflictResolution.strategy,
    maxAttempts: landing.maxAttempts,
  };
}

/** A host that only lands has nobody who could mend anything. */
export function landPolicy(facts: Omit<PolicyFacts, 'agents' | 'resolver'>): HostPolicy {
  const policy = runPolicy({ ...facts, agents: [], resolver: null });
  return { ...policy, slots: 0, train: { ...policy.train, onConflict: 'stop' } };
}

/** What of the gates would not count as it is meant, on this machine. */
export function gateWarnings({ gates }: Settings, env: NodeJS.ProcessEnv): readonly string[] {
  const [piped] = hasPipefail(env) ? [] : gates.commands.filter(hasPipe);
  const uncounted = gates.commands.flatMap((command) => {
    const what = uncountedIn(command);
    return what === null ? [] : [`gate ${JSON.stringify(command)}: ${what}`];
  });
  if (piped === undefined) return uncounted;
  return [
    `bash is not installed, so sh runs the gates: of the programs in a pipe only the last one counts, as in ${JSON.stringify(piped)}. Install bash, or write the gate without a pipe`,
    ...uncounted,
  ];
}

/** Drivers whose clients tell what they cost. */
const TELLS_COST: ReadonlySet<Driver> = new Set(['claude', 'claude-stdio', 'pi', 'jsonl', 'acp']);

/** A bound in dollars means nothing for an agent that never names a price. */
export function budgetWarnings({ limits, run, project }: Settings, agents: readonly ChosenAgent[]): readonly string[] {
  if ([limits, run, project].every(({ maxCostUsd }) => maxCostUsd === null)) return [];
  return agents
    .filter(({ settings }) => settings.price === null && !TELLS_COST.has(settings.driver))
    .map(
      ({ name }) =>
        `agent ${name} does not report its cost, so max_cost does not limit it. Set [agents.${name}.price], or max_tokens`,
    );
}
