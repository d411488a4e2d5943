import type { ProjectLimits } from './project-limits.ts';
import type { Budget } from './usage.ts';

/** Where tasks are kept, as a person chooses it. */
/** Trackers that are no file: a program or a server is asked by that name. */
export const OUTSIDE_TRACKERS = ['beads', 'github'] as const;
export type OutsideTracker = (typeof OUTSIDE_TRACKERS)[number];

export type TrackerChoice = 'auto' | 'file' | OutsideTracker;

/** What a run does when its terminal is closed. */
type OnHangup = 'stop' | 'detach';

/** The settled configuration: every key present, every unit in the name. Text reads it, nobody changes it. */
export interface Settings {
  /** Task file, relative to the checkout; null: found by name. */
  readonly tasks: string | null;
  /** All of them where several are named; empty: one, or none. */
  readonly shards: readonly string[];
  /** Name of the agent to run; null: the first installed one. */
  readonly agent: string | null;
  /** Agents that take over while the first one is held back, in this order. */
  readonly fallback: readonly string[];
  readonly completionPromise: string;
  readonly completionSignal: CompletionSignal;
  /** Has to be there, with something in it, before a loop is done; null: nothing has to. */
  readonly completionFile: string | null;
  readonly tracker: TrackerSettings;
  readonly parallel: ParallelSettings;
  readonly gates: GateSettings;
  readonly agents: Readonly<Record<string, AgentTable>>;
  readonly limits: LimitSettings;
  /** What one run may spend, all loops together. */
  readonly onHangup: OnHangup;
  readonly run: Budget;
  /** What all runs together may use, all loops together. */
  readonly project: ProjectLimits;
  readonly prompt: PromptSettings;
  readonly landing: LandingSettings;
  readonly notify: NotifySettings;
  /** `onFinish`: where a run writes its report when it ends, below `.ralph/`; null: nowhere. */
  readonly report: { readonly onFinish: string | null };
  readonly keep: KeepSettings;
  /** What to do when somebody loops here already: ask, go beside it, or leave it. */
  readonly autoSpawnStrategy: 'ask' | 'always' | 'never';
  /** Folder of the plans `ralph start` asks for, relative to the checkout. */
  readonly plans: string;
  readonly worktree: WorktreeSettings;
  readonly forge: ForgeSettings;
}

/** Where tasks are, and which of them count. */
export interface TrackerSettings extends IssueSettings {
  readonly kind: TrackerChoice;
  /** Filters as a person writes them: `story=S-005`. */
  readonly only: readonly string[];
}

/** Which issues of a forge are tasks. */
export interface IssueSettings {
  /** `owner/name`; null: that of the forge. */
  readonly repository: string | null;
  /** They have all of these. */
  readonly labels: readonly string[];
  /** Title or number; null: any, or none. */
  readonly milestone: string | null;
  /** Login; null: anybody, or nobody. */
  readonly assignee: string | null;
}

export type ForgeKind = 'github' | 'gitea';

/** Where pull requests are opened, and what happens to them. */
export interface ForgeSettings {
  /** null: told by the URL of the remote. */
  readonly kind: ForgeKind | null;
  readonly baseUrl: string | null;
  /** `owner/name`; null: told by the URL of the remote. */
  readonly repository: string | null;
  readonly remote: string;
  /** The variable that holds the token; null: the usual ones. */
  readonly tokenEnv: string | null;
  /** none: the repository has no CI, so our own gates count. */
  readonly checks: 'required' | 'none';
  readonly review: 'auto' | 'agent' | 'none';
  /** Logins whose comments count beside those of collaborators. */
  readonly listened: readonly string[];
  /** Who merges: a person, the forge by itself, or `ralph merger` and runs. */
  readonly merge: 'person' | 'auto' | 'merger';
  /** How long a head without any check waits before a person is asked. */
  readonly ciDeadlineMs: number;
  /** How often red checks or a review go back to the loop. */
  readonly rounds: number;
  readonly pull: PullSettings;
}

/** What a pull request is opened with. */
export interface PullSettings {
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
  readonly assignees: readonly string[];
  /** Templates; null: ours. */
  readonly title: string | null;
  readonly body: string | null;
}

/** How a person is told that something waits for them. */
export interface NotifySettings {
  readonly terminal: boolean;
  /** A shell command that gets each notification as JSON; null: none. */
  readonly command: string | null;
  readonly on: readonly string[];
}

/** What worktrees are made with: those that people work in, and those of loops and gates. */
export interface WorktreeSettings {
  /** Template of the folder, relative to the main checkout. */
  readonly path: string;
  /** Template of the branch. */
  readonly branch: string;
  /** Ignored and untracked files that come along. Patterns as in `protect`, also those behind `!`. */
  readonly copy: readonly string[];
  /** Ignored files that stay when a worktree of ours is used again, as in .gitignore; null: by what the project is made with. */
  readonly keep: readonly string[] | null;
  readonly submodules: boolean;
  /** Shell command lines the user wrote, run in place of what the files in it ask for; null: those. */
  readonly setup: readonly string[] | null;
}

/** How long what was taken away can be had back. */
export interface KeepSettings {
  /** Days until what has landed in another form is let go; what has not landed stays. */
  readonly days: number;
  /** Ignored files that are kept too. Patterns as in `protect`. */
  readonly ignored: readonly string[];
}

/** How an agent says that it is done. */
export type CompletionSignal = 'promise' | 'loop_complete';
/** How an agent is started and spoken to. */
export const DRIVERS = ['text', 'jsonl', 'claude', 'claude-stdio', 'codex', 'codex-app-server', 'acp', 'pi'] as const;
export type Driver = (typeof DRIVERS)[number];
export type Strategy = 'queue' | 'group';
export type MergePolicy = 'manual' | 'auto_merge' | 'pr';
/** Who resolves what does not merge: the loop that made it, an agent for conflicts, or a person. */
export type ConflictStrategy = 'requeue' | 'ai_resolve' | 'stop';
export type PublishMode = 'end' | 'each' | 'manual';
export type LandingMethod = 'merge' | 'squash' | 'rebase';

export interface ParallelSettings {
  readonly enabled: boolean;
  readonly maxWorkers: number;
  readonly worktreeRoot: string;
  /** Template of a loop's branch; null: `ralph/<loop>`. */
  readonly branch: string | null;
  /** Template of its folder, relative to the main checkout; null: any below the root, used again by the next loop. */
  readonly worktreePath: string | null;
  readonly strategy: Strategy;
  readonly mergePolicy: MergePolicy;
  readonly conflictResolution: { readonly strategy: ConflictStrategy; readonly aiAgent: string };
}

export interface GateSettings {
  /** Each is a shell command line the user wrote; all must exit 0. */
  readonly commands: readonly string[];
  /** Longest a single gate may take. With `timeoutAuto` only the upper bound: past runs decide. */
  readonly timeoutMs: number;
  readonly timeoutAuto: boolean;
  /** Run them on main itself, too, beside the first agents. */
  readonly base: boolean;
  /** How many gates may use a named thing (a database, a port) at the same time. */
  readonly resources: Readonly<Record<string, number>>;
  /** Which gate commands use it, by its name. */
  readonly uses: Readonly<Record<string, readonly string[]>>;
  /** Names (or `PREFIX_*`) that gates get from the user's environment though they look like credentials. */
  readonly passEnv: readonly string[];
}

export interface AgentSettings {
  readonly driver: Driver;
  /** The program and what stands before the driver's own arguments. With driver `text` nothing is added. */
  readonly command: readonly string[];
  /** Further arguments, after the driver's own. */
  readonly args: readonly string[];
  /** null: the client's own default. */
  readonly model: string | null;
  /** Variables set for this agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Names (or `PREFIX_*`) passed on from the user's environment beside the allowlist. */
  readonly passEnv: readonly string[];
  /** Agents that share an account share its limits; the agent's name unless set. */
  readonly account: string;
  /** Answers of the model in one iteration before it is stopped. */
  readonly maxTurns: number;
  /** Silence after which it counts as stuck; null: silence means nothing. */
  readonly stallMs: number | null;
  /** A line of its output that matches means too many requests; null: only what is known of clients counts. */
  readonly rateLimit: string | null;
  /** workspace: the client's own sandbox, where it has one. */
  readonly sandbox: 'workspace' | 'none';
  /** US dollars per million tokens, to estimate a cost the client does not tell; null: unknown. */
  readonly price: AgentPrice | null;
}

/** What a `[agents.NAME]` table sets; the rest comes from what is known of that name. */
export type AgentTable = Partial<AgentSettings>;

export interface AgentPrice {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
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
  /** What one loop may spend. */
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  /** Free space on the disk below which nothing new starts. */
  readonly freeMb: number;
}

export interface PromptSettings {
  /** How much of the memories goes into a prompt. */
  readonly memoryTokens: number;
}

/** New files, and megabytes of them. */
export interface NewLimits {
  readonly files: number;
  readonly mb: number;
}

export interface LandingSettings {
  /** Branch to land on; null: main, else master, else the one checked out. */
  readonly target: string | null;
  /** Ask the remote branch that the target follows before work begins. */
  readonly fetch: boolean;
  readonly publish: PublishMode;
  readonly method: LandingMethod;
  /** A loop that changed one of these paths lands only when a person says so. */
  readonly protect: readonly string[];
  /** What one loop may add and still land by itself. */
  readonly maxNew: NewLimits;
  readonly auto: AutoSettings;
  /** Gate runs of a train at the same time. */
  readonly gateSlots: number | 'auto';
  /** How often a loop that did not merge or was red with others goes back to work before a person is asked. */
  readonly maxAttempts: number;
  /** Loops that may wait for a review before nothing new starts; null: no bound. */
  readonly maxWaiting: number | null;
  /** Further runs of a red tree before anybody is blamed for it; auto: as the evidence asks for. */
  readonly flakeRetries: number | 'auto';
  /** Template of a landing's message; null: the default one. */
  readonly message: string | null;
  /** auto: as the user's git does for their own commits. */
  readonly sign: 'auto' | 'always' | 'never';
  readonly merge: MergeDriverSettings;
}

/** What lands, or is merged, without a person's approval; where nothing is set, all of it. */
export interface AutoSettings {
  /** Every changed path fits one of these; empty: any does. Patterns as in `protect`. */
  readonly paths: readonly string[];
  /** Lines added and deleted; null: any number. */
  readonly maxLines: number | null;
  /** Its task has one of these; empty: it needs none. */
  readonly labels: readonly string[];
}

/** Files that are merged by a rule of their own. */
export interface MergeDriverSettings {
  /** Both sides' lines are kept. Patterns as in `protect`. */
  readonly union: readonly string[];
  /** The target's side is taken and the command makes it anew; by path. */
  readonly regenerate: Readonly<Record<string, string>>;
}
