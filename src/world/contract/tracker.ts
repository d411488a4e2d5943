import type { LoopId, TaskId } from '../../core/model/ids.ts';
import type { Task, UpstreamTasks } from '../../core/model/task.ts';

/** What a look showed. Problems: the list cannot be used as it is now. */
export type Looked =
  | {
      readonly digest: string;
      readonly tasks: readonly Task[];
      readonly warnings?: readonly string[];
      /** What is done on the remote branch that the target follows; null: it follows none; absent: nobody looked. */
      readonly upstream?: UpstreamTasks | null;
    }
  | { readonly problems: readonly string[] };

/**
 * Where tasks are tracked. Of a file in the tree the landing commit carries the tick; where tasks are kept elsewhere, `claims`
 * tells who works on what. Each of these first looks whether it has happened already.
 */
export interface Tracker {
  /** A file's path, relative to the checkout, or the name of what is asked. */
  readonly path: string;
  /** Null when nothing has changed since the last look. */
  look(): Promise<Looked | null>;
  /** What is done now on the remote branch that the target follows; absent: nobody can look. */
  readonly upstream?: () => Promise<UpstreamTasks | null>;
  /** Asks the remote now, if that was not done a moment ago; absent: nobody may. One that does not answer is no failure. */
  readonly ask?: () => Promise<void>;
  /** The tracker text with one task ticked, for the landing commit; null: this text has no such task. */
  tick(text: string, task: TaskId): Promise<string | null>;
  /** Closes what has landed where no landing commit does it. False: landing does it all, so nobody need ask again. */
  close(landed: readonly Closing[]): Promise<boolean>;
  /** Absent: the log alone says who works on what. */
  readonly claims?: Claims;
}

/** A landed task, and why it is done. */
export interface Closing {
  readonly hold: Hold;
  readonly reason: string;
}

/** A task as a loop has it. */
export interface Hold {
  readonly task: TaskId;
  readonly loop: LoopId;
  /** `<run>/<loop>`: the name by which the tracker knows who has it. */
  readonly actor: string;
  readonly branch: string;
  readonly attempt: number;
  /** The number of its pull request; absent: it has none. */
  readonly pull?: number;
}

/** How far a task is, in the words of trackers. */
export type TaskPhase = 'spawned' | 'working' | 'committed' | 'pr_created' | 'merged';

/** Why a loop does not have its task, or no more. */
export interface NotHeld {
  readonly why: string;
  /** A person took it back from the loop: anybody may begin it anew. */
  readonly isFree: boolean;
}

/** Something a loop found that should be done by somebody. */
export interface Found {
  /** Its own, by which it is found again. */
  readonly mark: string;
  readonly title: string;
  readonly body: string;
  readonly from: TaskId | null;
}

/** What a tracker outside the tree is told, and what it answers. */
export interface Claims {
  /** How long a claim may go without a word; null: for ever. */
  readonly quietMsMax: number | null;
  /** Takes a task for a loop that is about to begin. */
  claim(hold: Hold): Promise<NotHeld | null>;
  /** Tells how far a loop is, and with it that it lives. */
  phase(hold: Hold, phase: TaskPhase): Promise<NotHeld | null>;
  /** Whose task is somebody else's by now; asked before anything lands. */
  check(holds: readonly Hold[]): Promise<ReadonlyMap<LoopId, NotHeld>>;
  /** Gives a task back that its loop does not work on any more. */
  release(hold: Hold, why: string): Promise<void>;
  /** Writes down what loops found; nobody works on it until a person says so. */
  note(found: readonly Found[]): Promise<void>;
  /** Of tasks that were closed after they landed, those that a person has opened again. */
  reopened(tasks: readonly TaskId[]): Promise<readonly TaskId[]>;
  /** Closes what is done because all of its parts are. */
  readonly wrapUp?: () => Promise<void>;
}
