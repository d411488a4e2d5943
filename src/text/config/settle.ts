import { invariant } from '../../core/model/assert.ts';
import type {
  AgentPrice,
  AgentTable,
  ForgeSettings,
  GateSettings,
  LandingSettings,
  LimitSettings,
  Settings,
  WorktreeSettings,
} from '../../core/model/settings.ts';
import { crossCheck } from './cross-check.ts';
import { splitDotted } from './dotted.ts';
import { readDurationMs } from './duration.ts';
import { COPIED, PROTECTED } from './known-files.ts';
import { KEYS, type KeyValue } from './keys.ts';
import { LAYER_KINDS, type ConfigProblem, type Layer, type LayerKind, type LayerValue } from './layer.ts';

/** Nobody waits longer for a gate that hangs before past runs tell how long it takes. */
const LONGEST_AUTO_GATE_MS = 7_200_000;
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
  const weakestFirst = sorted(layers);
  for (const layer of weakestFirst) {
    for (const [dotted, { value, source, line }] of layer.values) {
      values.set(dotted, value);
      origins.set(dotted, { kind: layer.kind, name: source, line });
    }
  }
  const problems = [...weakestFirst.flatMap((layer) => layer.problems), ...crossCheck(weakestFirst)];
  return { settings: settingsFrom(values), origins, values, problems };
}

/** What the layers say of one key before they are settled; null: nothing. */
export function strongest(layers: readonly Layer[], dotted: string): LayerValue | null {
  const [found] = sorted(layers)
    .flatMap((layer) => layer.values.get(dotted) ?? [])
    .slice(-1);
  return found ?? null;
}

const sorted = (layers: readonly Layer[]): readonly Layer[] =>
  layers.toSorted((a, b) => LAYER_KINDS.indexOf(a.kind) - LAYER_KINDS.indexOf(b.kind));

type Values = ReadonlyMap<string, KeyValue | null>;
type Get = <T>(path: string) => T;

function settingsFrom(values: Values): Settings {
  // The key table and its checks hold the types this cast relies on; the test over every key holds the two together.
  const get: Get = <T>(path: string): T => {
    invariant(values.has(path), `no configuration key ${path}`);
    return values.get(path) as T;
  };
  return {
    ...taskFiles(get('tasks')),
    agent: get('agent'),
    fallback: get('fallback'),
    tracker: {
      kind: get('tracker.kind'),
      only: get('tracker.only'),
      repository: get('tracker.repository'),
      labels: get('tracker.labels'),
      milestone: get('tracker.milestone'),
      assignee: get('tracker.assignee'),
    },
    completionPromise: get('completion_promise'),
    completionSignal: get('completion_signal'),
    completionFile: get('completion_file'),
    parallel: {
      enabled: get('parallel.enabled'),
      maxWorkers: get('parallel.max_workers'),
      worktreeRoot: get('parallel.worktree_root'),
      branch: get('parallel.branch'),
      worktreePath: get('parallel.worktree_path'),
      strategy: get('parallel.strategy'),
      mergePolicy: get('parallel.merge_policy'),
      conflictResolution: {
        strategy: get('parallel.conflict_resolution.strategy'),
        aiAgent: get('parallel.conflict_resolution.ai_agent'),
      },
    },
    gates: gatesFrom(get, values),
    agents: agentsFrom(values),
    limits: limitsFrom(get),
    run: { maxCostUsd: get('run.max_cost'), maxTokens: get('run.max_tokens') },
    onHangup: get('run.on_hangup'),
    project: projectFrom(get),
    prompt: { memoryTokens: get('prompt.memory_tokens') },
    landing: landingFrom(get, values),
    notify: { terminal: get('notify.terminal'), command: get('notify.command'), on: get('notify.on') },
    report: { onFinish: get('report.on_finish') },
    keep: { days: get('keep.days'), ignored: get('keep.ignored') },
    autoSpawnStrategy: get('auto_spawn_strategy'),
    plans: get('plans'),
    worktree: worktreeFrom(get),
    forge: forgeFrom(get),
  };
}

function forgeFrom(get: Get): ForgeSettings {
  return {
    kind: get('forge.kind'),
    baseUrl: get('forge.base_url'),
    repository: get('forge.repository'),
    remote: get('forge.remote'),
    tokenEnv: get('forge.token_env'),
    checks: get('forge.checks'),
    review: get('forge.review'),
    listened: get('forge.bots'),
    merge: get('forge.merge'),
    ciDeadlineMs: durationMs(get('forge.ci_deadline')),
    rounds: get('forge.rounds'),
    pull: {
      labels: get('forge.pr.labels'),
      reviewers: get('forge.pr.reviewers'),
      assignees: get('forge.pr.assignees'),
      title: get('forge.pr.title'),
      body: get('forge.pr.body'),
    },
  };
}

/** One is the task file; several are worked on side by side, each by itself. */
function taskFiles(named: string | readonly string[] | null): Pick<Settings, 'tasks' | 'shards'> {
  const files = typeof named === 'string' ? [named] : (named ?? []);
  return { tasks: files[0] ?? null, shards: files.length > 1 ? files : [] };
}

function worktreeFrom(get: Get): WorktreeSettings {
  return {
    path: get('worktree.path'),
    branch: get('worktree.branch'),
    copy: withFallback(get('worktree.copy'), COPIED),
    keep: get('worktree.keep'),
    submodules: get('worktree.submodules'),
    setup: get('worktree.setup'),
  };
}

function gatesFrom(get: Get, values: Values): GateSettings {
  const timeout = get<KeyValue>('gates.timeout');
  return {
    commands: get('gates.commands'),
    base: get('gates.base'),
    timeoutMs: timeout === 'auto' ? LONGEST_AUTO_GATE_MS : durationMs(timeout),
    timeoutAuto: timeout === 'auto',
    resources: tableFrom(values, ['gates', 'resources']),
    uses: tableFrom(values, ['gates', 'uses']),
    passEnv: get('gates.pass_env'),
  };
}

function landingFrom(get: Get, values: Values): LandingSettings {
  return {
    target: get('landing.target'),
    fetch: get('landing.fetch'),
    publish: get('landing.publish'),
    method: get('landing.method'),
    protect: withFallback(get('landing.protect'), PROTECTED),
    maxNew: { files: get('landing.max_new_files'), mb: get('landing.max_new_mb') },
    auto: {
      paths: get('landing.auto.paths'),
      maxLines: get('landing.auto.max_lines'),
      labels: get('landing.auto.labels'),
    },
    gateSlots: get('landing.gate_slots'),
    maxAttempts: get('landing.max_attempts'),
    maxWaiting: get('landing.max_waiting'),
    flakeRetries: get('landing.flake_retries'),
    message: get('landing.message'),
    sign: get('landing.sign'),
    merge: {
      union: get('landing.merge.union'),
      regenerate: tableFrom(values, ['landing', 'merge', 'regenerate']),
    },
  };
}

/** A list that only takes out begins with what counts when nobody sets it. */
const withFallback = (list: readonly string[], fallback: readonly string[]): readonly string[] =>
  list.length > 0 && list.every((one) => one.startsWith('!')) ? [...fallback, ...list] : list;

/** What stands under the names a user chose, in an object without a prototype. */
function tableFrom<T extends KeyValue>(values: Values, table: readonly string[]): Readonly<Record<string, T>> {
  const found = Object.create(null) as Record<string, T>;
  for (const [dotted, value] of values) {
    const parts = splitDotted(dotted);
    const [name] = parts.slice(table.length);
    if (name !== undefined && table.every((part, at) => part === parts[at])) found[name] = value as T;
  }
  return found;
}

function limitsFrom(get: Get): LimitSettings {
  return {
    iterations: get('limits.iterations'),
    runtimeMs: durationMs(get('limits.runtime')),
    noProgress: get('limits.no_progress'),
    attempts: get('limits.attempts'),
    consecutiveFailures: get('limits.consecutive_failures'),
    graceMs: durationMs(get('limits.grace')),
    maxCostUsd: get('limits.max_cost'),
    maxTokens: get('limits.max_tokens'),
    freeMb: get('limits.free_mb'),
  };
}

function projectFrom(get: Get): Settings['project'] {
  const runtime = get<KeyValue | null>('project.runtime');
  return {
    maxCostUsd: get('project.max_cost'),
    maxTokens: get('project.max_tokens'),
    iterations: get('project.iterations'),
    runtimeMs: runtime === null ? null : durationMs(runtime),
    consecutiveFailures: get('project.consecutive_failures'),
    per: get('project.per'),
  };
}

/** What each `[agents.NAME]` table sets, in objects without a prototype: an agent called `constructor` is only there when someone defines it. */
function agentsFrom(values: Values): Readonly<Record<string, AgentTable>> {
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
    case 'rate_limit':
      return { rateLimit: value };
    default:
      return { [key]: value };
  }
}

function durationMs(value: KeyValue): number {
  const ms = readDurationMs(value);
  invariant(ms !== null, `unchecked duration ${String(value)}`);
  return ms;
}
