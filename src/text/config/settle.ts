import { invariant } from '../../core/assert.ts';
import type { AgentPrice, AgentTable, LimitSettings, Settings } from '../../core/settings.ts';
import { readDurationMs } from './duration.ts';
import { KEYS, type KeyValue } from './keys.ts';
import { LAYER_KINDS, type ConfigProblem, type Layer, type LayerKind } from './layer.ts';

const NO_PRICE: AgentPrice = { input: 0, cached: 0, output: 0 };

export interface Origin {
  readonly kind: LayerKind;
  readonly name: string;
  readonly line: number;
}

export interface Settled {
  readonly settings: Settings;
  readonly origins: ReadonlyMap<string, Origin>;
  /** As written: durations are text or seconds, keys nobody set and without a default are null. */
  readonly values: ReadonlyMap<string, KeyValue | null>;
  readonly problems: readonly ConfigProblem[];
}

/** Lays the layers over each other, the strongest last whatever order they come in, and keeps where each value came from. */
export function settle(layers: readonly Layer[]): Settled {
  const values = new Map<string, KeyValue | null>();
  const origins = new Map<string, Origin>();
  for (const key of KEYS) {
    if (key.path.includes('*')) continue;
    values.set(key.path, key.fallback);
    origins.set(key.path, { kind: 'default', name: 'default', line: 0 });
  }
  const weakestFirst = layers.toSorted((a, b) => LAYER_KINDS.indexOf(a.kind) - LAYER_KINDS.indexOf(b.kind));
  for (const layer of weakestFirst) {
    for (const [dotted, { value, source, line }] of layer.values) {
      values.set(dotted, value);
      origins.set(dotted, { kind: layer.kind, name: source, line });
    }
  }
  const problems = weakestFirst.flatMap((layer) => layer.problems);
  return { settings: settingsFrom(values), origins, values, problems };
}

function settingsFrom(values: ReadonlyMap<string, KeyValue | null>): Settings {
  // The key table and its checks hold the types this cast relies on; the test over every key holds the two together.
  const get = <T>(path: string): T => {
    invariant(values.has(path), `no configuration key ${path}`);
    return values.get(path) as T;
  };
  return {
    tasks: get('tasks'),
    agent: get('agent'),
    fallback: get('fallback'),
    completionPromise: get('completion_promise'),
    completionSignal: get('completion_signal'),
    parallel: {
      enabled: get('parallel.enabled'),
      maxWorkers: get('parallel.max_workers'),
      worktreeRoot: get('parallel.worktree_root'),
      strategy: get('parallel.strategy'),
      mergePolicy: get('parallel.merge_policy'),
      conflictResolution: {
        strategy: get('parallel.conflict_resolution.strategy'),
        aiAgent: get('parallel.conflict_resolution.ai_agent'),
      },
    },
    gates: { commands: get('gates.commands'), timeoutMs: durationMs(get('gates.timeout')) },
    agents: agentsFrom(values),
    limits: limitsFrom(get),
    run: { maxCostUsd: get('run.max_cost'), maxTokens: get('run.max_tokens') },
    prompt: { memoryTokens: get('prompt.memory_tokens') },
    landing: {
      target: get('landing.target'),
      publish: get('landing.publish'),
      method: get('landing.method'),
      protect: get('landing.protect'),
    },
  };
}

function limitsFrom(get: <T>(path: string) => T): LimitSettings {
  return {
    iterations: get('limits.iterations'),
    runtimeMs: durationMs(get('limits.runtime')),
    noProgress: get('limits.no_progress'),
    attempts: get('limits.attempts'),
    consecutiveFailures: get('limits.consecutive_failures'),
    graceMs: durationMs(get('limits.grace')),
    maxCostUsd: get('limits.max_cost'),
    maxTokens: get('limits.max_tokens'),
    logMb: get('limits.log_mb'),
    outputMb: get('limits.output_mb'),
  };
}

/** What each `[agents.NAME]` table sets, in objects without a prototype: an agent called `constructor` is only there when someone defines it. */
function agentsFrom(values: ReadonlyMap<string, KeyValue | null>): Readonly<Record<string, AgentTable>> {
  const agents = Object.create(null) as Record<string, AgentTable>;
  for (const [dotted, value] of values) {
    const [table, name, key = '', inner = ''] = dotted.split('.');
    if (table !== 'agents' || name === undefined) continue;
    agents[name] = { ...agents[name], ...agentKey(agents[name] ?? {}, key, inner, value as never) };
  }
  return agents;
}

function agentKey(before: AgentTable, key: string, inner: string, value: never): AgentTable {
  switch (key) {
    case 'env':
      return { env: Object.assign(Object.create(null) as object, before.env, { [inner]: value }) };
    case 'price':
      return { price: { ...NO_PRICE, ...before.price, [inner]: value } };
    case 'stall':
      return { stallMs: durationMs(value) };
    case 'pass_env':
      return { passEnv: value };
    case 'max_turns':
      return { maxTurns: value };
    default:
      return { [key]: value };
  }
}

function durationMs(value: KeyValue): number {
  const ms = readDurationMs(value);
  invariant(ms !== null, `unchecked duration ${String(value)}`);
  return ms;
}
