import type { LoopId } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import type { QueueView } from '../../core/views/queue-view.ts';
import type { Look } from './line.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What a person has to do something about. */
export interface Wanted {
  readonly key: string;
  readonly loop: LoopId | null;
  readonly name: string;
  readonly what: string;
  readonly detail: string;
  readonly since: number;
  readonly next: string;
}

/** What the view shows of a run; made anew when the log says something new. */
export interface RunFacts {
  readonly state: State;
  readonly tracker: string;
  readonly target: string;
  readonly wanted: readonly Wanted[];
  readonly queue: QueueView;
  readonly work: readonly Loop[];
  readonly waits: readonly { readonly task: string; readonly why: string; readonly kind: string }[];
  readonly landed: readonly {
    readonly loop: LoopId | null;
    readonly task: string;
    readonly commit: string;
    readonly at: number;
  }[];
  readonly parked: readonly Loop[];
  /** How long it still takes, in words; empty: nothing is left. */
  readonly left: string;
  readonly cost: string;
}

/** What an agent said last. */
export interface Words {
  readonly text: string;
  readonly at: number;
}

export type Tab = 'transcript' | 'diff' | 'gates' | 'history' | 'task';

/** Where in the view somebody is. */
export type Screen =
  | { readonly at: 'run' }
  | { readonly at: 'loop'; readonly loop: LoopId; readonly tab: Tab }
  | { readonly at: 'keys' }
  | { readonly at: 'text'; readonly title: string };

/** A text with its first row on the screen. */
export interface Page {
  readonly rows: readonly PageRow[];
  /** The end is shown, also when more comes. */
  readonly isFollowing: boolean;
}

export interface PageRow {
  readonly text: string;
  readonly tone: 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow';
}

/** What is being typed in the last row. */
export interface Asked {
  readonly what: 'filter' | 'search' | 'command' | 'say' | 'discard';
  readonly prompt: string;
  readonly text: string;
}

export interface Model {
  readonly facts: RunFacts;
  readonly nowMs: number;
  readonly look: Look;
  readonly words: ReadonlyMap<LoopId, Words>;
  readonly screen: Screen;
  readonly page: Page | null;
  /** The row that keys act on, by its key. */
  readonly selected: string | null;
  /** The first row of the list that is on the screen. */
  readonly top: number;
  readonly filter: string;
  readonly asked: Asked | null;
  /** The answer to the last key. */
  readonly note: { readonly text: string; readonly isBad: boolean } | null;
}
