import type { TaskId } from './ids.ts';

export type TaskStatus = 'open' | 'doing' | 'done' | 'blocked';

/** What a task is chosen by, beside its group and priority, and what it asks for. */
export interface Marks {
  readonly story?: string;
  readonly epic?: string;
  /** Where its epic is a part of others: all of them, its own first. */
  readonly epics?: readonly string[];
  readonly labels?: readonly string[];
  readonly milestone?: string;
  readonly assignees?: readonly string[];
  /** The agent for this one task, and the model. */
  readonly agent?: string;
  readonly model?: string;
}

/** One unit of wanted work, as its tracker tells it. */
export interface Task extends Marks {
  readonly id: TaskId;
  readonly title: string;
  readonly body: string;
  readonly acceptance: readonly string[];
  readonly group: string | null;
  readonly deps: readonly TaskId[];
  /** Lower runs first; a task without one runs after those that have one. */
  readonly priority: number | null;
  readonly status: TaskStatus;
  readonly blockedReason: string | null;
  /** Who has it, and how far they are, as a tracker outside the tree tells; absent: it is none. */
  readonly claim?: { readonly by: string | null; readonly phase: string | null };
  /** 1-based line in the tracker file. */
  readonly line: number;
}

/** Something wrong in a file a person wrote. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What a person may choose tasks by. */
export const FILTER_KEYS = ['id', 'group', 'story', 'epic', 'label', 'milestone', 'assignee', 'priority'] as const;

/** One thing that is asked of a task: `story=S-005`, `priority<=2`. */
export interface Filter {
  readonly key: (typeof FILTER_KEYS)[number];
  /** `<=` is for priorities: this one or a more urgent one. */
  readonly sign: '=' | '<=';
  readonly value: string;
}

/** The tasks of one tracker, as it was read last. */
export interface Tracker {
  readonly digest: string;
  readonly tasks: readonly Task[];
  /** What the remote branch that the target follows says; absent: it follows none, or nobody has looked. */
  readonly upstream?: UpstreamTasks;
}

/** Tasks that are done on the remote branch that the target follows, by commits the target does not have yet. */
export interface UpstreamTasks {
  /** `origin/main`. */
  readonly name: string;
  readonly done: readonly TaskId[];
}
