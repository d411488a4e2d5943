import type { Protocol } from '../agent-event.ts';
import type { McpServer, TalkSpec } from '../talk/talk-spec.ts';

/** What a command line depends on beside the agent's settings. */
export interface LaunchFacts {
  readonly cwd: string;
  /** The worktree it works in, where it starts further down; absent: it starts at the top. */
  readonly top?: string;
  /** What may still be spent, for a client that can be told; null: no bound. */
  readonly budgetUsd: number | null;
  /** Null: our verbs are not offered as tools. */
  readonly mcp: McpServer | null;
  readonly git: {
    /** The worktree's own folder below `.git/worktrees/`. */
    readonly adminDir: string;
    readonly commonDir: string;
  };
  /** The environment the agent gets anyway: a variable that holds a whole configuration is merged with it, not replaced. */
  readonly inherited?: Readonly<Record<string, string>>;
}

/** How to start an agent. */
export interface Launch {
  /** The client itself. With `talk` not null it is the driver process that starts it, and is started in its place. */
  readonly argv: readonly string[];
  /** The agent's own variables and what its driver adds. */
  readonly env: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  /** Null: prompt on standard input, and that is all. */
  readonly talk: TalkSpec | null;
}
