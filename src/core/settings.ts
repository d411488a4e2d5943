/** The settled configuration: every key present, every unit in the name. Text reads it, nobody changes it. */
export interface Settings {
  /** Task file, relative to the checkout; null: found by name. */
  readonly tasks: string | null;
  /** Name of the agent to run; null: the first installed one. */
  readonly agent: string | null;
  readonly completionPromise: string;
  readonly parallel: ParallelSettings;
  readonly gates: GateSettings;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly limits: LimitSettings;
  readonly landing: LandingSettings;
}

export type Strategy = 'queue' | 'group';
export type MergePolicy = 'manual' | 'auto_merge' | 'pr';
export type ConflictStrategy = 'stop' | 'ai_resolve';
export type PublishMode = 'end' | 'each' | 'manual';
export type LandingMethod = 'merge' | 'squash' | 'rebase';

export interface ParallelSettings {
  readonly enabled: boolean;
  readonly maxWorkers: number;
  readonly worktreeRoot: string;
  readonly strategy: Strategy;
  readonly mergePolicy: MergePolicy;
  readonly conflictResolution: { readonly strategy: ConflictStrategy; readonly aiAgent: string };
}

export interface GateSettings {
  /** Each is a shell command line the user wrote; all must exit 0. */
  readonly commands: readonly string[];
  readonly timeoutMs: number;
}

export interface AgentSettings {
  /** argv; the prompt comes on standard input. */
  readonly command: readonly string[];
  /** Variables set for this agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Names (or `PREFIX_*`) passed on from the user's environment beside the allowlist. */
  readonly passEnv: readonly string[];
}

/** Stop rules of one loop. */
export interface LimitSettings {
  readonly iterations: number;
  readonly runtimeMs: number;
  readonly noProgress: number;
  readonly attempts: number;
  readonly consecutiveFailures: number;
  /** How long an agent may take to end after being asked. */
  readonly graceMs: number;
}

export interface LandingSettings {
  /** Branch to land on; null: main, else master, else the one checked out. */
  readonly target: string | null;
  readonly publish: PublishMode;
  readonly method: LandingMethod;
}
