import type { Marks, Problem, Task, TaskStatus } from '../../core/model/task.ts';
import type { Place } from './places.ts';

export interface ParsedTasks {
  readonly tasks: readonly Task[];
  readonly problems: readonly Problem[];
}

/** A word a person wrote, and where. */
export interface Written extends Place {
  readonly text: string;
}

export interface DependencyRef extends Written {
  /** `name`: one name as it stands. `list`: perhaps several with commas. `prose`: also in backticks or as a position. */
  readonly style: 'name' | 'list' | 'prose';
}

/** A task as its format tells it, before ids are given and names are looked up. */
export interface Draft extends Place {
  readonly id: Written | null;
  readonly title: string;
  readonly body: string;
  readonly acceptance: readonly string[];
  readonly group: Written | null;
  readonly deps: readonly DependencyRef[];
  readonly priority: number | null;
  readonly status: TaskStatus;
  readonly blockedReason: string | null;
  readonly marks?: Marks;
}

/** What a format reader hands on. `readable` is false when the text as a whole could not be understood. */
export interface Drafts<Kind extends Draft = Draft> {
  readonly readable: boolean;
  readonly drafts: readonly Kind[];
  readonly problems: readonly Problem[];
}

export function unreadable(...problems: Problem[]): Drafts<never> {
  return { readable: false, drafts: [], problems };
}
