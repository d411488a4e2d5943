import type { LoopId, Sha, TaskId } from '../../core/model/ids.ts';
import type { CompletionSignal } from '../../core/model/settings.ts';
import type { IterationEnd, Report } from '../../text/agents/report.ts';

export interface Iteration {
  readonly loop: LoopId;
  readonly task: TaskId;
  readonly n: number;
  readonly slot: number;
  readonly cwd: string;
  /** It works in a person's checkout. */
  readonly inPlace?: boolean;
  /** Where in it the agent starts; absent: at its top. */
  readonly folder?: string;
}

export interface AgentOrder {
  /** One of the agents of the host's policy, by name. */
  readonly agent: string;
  /** The model its task asks for; absent: the agent's own. */
  readonly model?: string | null;
  readonly prompt: string;
  /** What it may still spend, where its client can be told; null: no bound. */
  readonly budgetUsd: number | null;
  /** The newest guidance the prompt holds. */
  readonly guided: number;
}

export interface IterationResult {
  /** Who really ran, also if another host chose it. */
  readonly agent: string;
  readonly account: string;
  /** The newest guidance the agent was really given, by its prompt or while it worked. */
  readonly guided: number;
  readonly end: IterationEnd;
  readonly durationMs: number;
  readonly swept: number;
  readonly report: Report;
}

export interface Agents {
  /** The iteration was started before, by us or by a host that died. */
  wasStarted(iteration: Iteration): boolean;
  start(iteration: Iteration, order: AgentOrder): Promise<void>;
  /** Hands a message to the agent while it works. False: its driver cannot, or it has ended. */
  steer(iteration: Iteration, guidance: { readonly id: number; readonly text: string }): boolean;
  /** Writes what it committed into the log of its worker. */
  noteCommits(iteration: Iteration, from: Sha, to: Sha): Promise<void>;
  /** Waits for the end, however the iteration was started, and leaves no process of it behind. */
  finish(
    iteration: Iteration,
    options: {
      readonly timeoutMs: number;
      readonly graceMs: number;
      readonly signal: AbortSignal;
      readonly force: AbortSignal;
      /** What it says when it is done: one that says so and does not end gets its grace, and is ended. Null: only its own end counts. */
      readonly completion?: { readonly signal: CompletionSignal; readonly promise: string } | null;
    },
  ): Promise<IterationResult>;
}
