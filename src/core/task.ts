import type { TaskId } from './ids.ts';

export type TaskStatus = 'open' | 'doing' | 'done' | 'blocked';

/** One unit of wanted work, as its tracker tells it. */
export interface Task {
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
  /** 1-based line in the tracker file. */
  readonly line: number;
}

/** Something wrong in a file a person wrote. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Some tasks of a tracker: a task must fit every list that is not empty. */
export interface TaskChoice {
  readonly groups: readonly string[];
  readonly tasks: readonly string[];
  /** Tasks of this priority and more urgent ones; null: of any. */
  readonly priorityMax: number | null;
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
