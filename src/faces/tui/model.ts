import type { LoopId } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import type { InboxItem } from '../../core/views/inbox.ts';
import type { QueueView } from '../../core/views/queue-view.ts';
import type { DiffPlace } from '../../text/screen/diff-rows.ts';
import type { Look, Tone } from './line.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What the view shows of a run; made anew when the log says something new. */
export interface RunFacts {
  readonly state: State;
  /** When they were made: ages in them are of then. */
  readonly atMs: number;
  readonly tracker: string;
  readonly target: string;
  readonly inbox: readonly InboxItem[];
  readonly queue: QueueView;
  readonly work: readonly Loop[];
  /** Their pull requests are open. */
  readonly reviewing: readonly Loop[];
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
  /** Empty: no agent has told. */
  readonly cost: string;
}

/** What an agent said last. */
export interface Words {
  readonly text: string;
  readonly at: number;
}

export const TABS = ['transcript', 'diff', 'gates', 'history', 'task'] as const;
export type Tab = (typeof TABS)[number];

/** What of a loop's work is shown. */
export const SCOPES = ['whole branch', 'since you looked', 'last iteration'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where in the view somebody is. */
export type Screen =
  | { readonly at: 'run' }
  | { readonly at: 'loop'; readonly loop: LoopId; readonly tab: Tab; readonly scope: Scope }
  /** `chosen`: which of those that fit what was typed. */
  | { readonly at: 'keys'; readonly chosen: number }
  /** What a command printed. */
  | { readonly at: 'text'; readonly title: string };

export interface PageRow {
  readonly text: string;
  readonly tone: Tone;
  /** A line of a file, of which something may be said. */
  readonly place?: DiffPlace;
  /** Here something begins: `n` and `N` go from one to the next. */
  readonly isMark?: boolean;
}

/** A long text and which part of it is on the screen. */
export interface Page {
  readonly rows: readonly PageRow[];
  readonly cursor: number;
  readonly top: number;
  /** Its end stays on the screen while more comes. */
  readonly isFollowing: boolean;
  readonly search: string;
  /** The row a range begins at; null: only the row of the cursor is meant. */
  readonly from: number | null;
  /** What is shown, in a few words. */
  readonly head: string | null;
  /** The commit whose changes these are; null: they are no commit's. */
  readonly commit: string | null;
}

/** What a person wrote about some lines; sent as one. */
export interface Comment {
  readonly loop: LoopId;
  readonly path: string;
  readonly side: 'old' | 'new';
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** What is being typed in the last row. */
export interface Asked {
  readonly what: 'filter' | 'search' | 'command' | 'say' | 'comment' | 'discard' | 'workers' | 'stop' | 'keys';
  readonly prompt: string;
  readonly text: string;
}

export interface Note {
  readonly text: string;
  readonly isBad: boolean;
}

/** Where somebody is in the view: what keys change. */
export interface Standpoint {
  readonly screen: Screen;
  readonly page: Page | null;
  /** The row that keys act on, by its key; null: the first. */
  readonly selected: string | null;
  /** The first row of the list that is on the screen. */
  readonly top: number;
  readonly filter: string;
  readonly asked: Asked | null;
  readonly comments: readonly Comment[];
  /** The answer to the last key. */
  readonly note: Note | null;
}

export interface Model extends Standpoint {
  readonly facts: RunFacts;
  readonly nowMs: number;
  readonly look: Look;
  readonly words: ReadonlyMap<LoopId, Words>;
}

export const AT_RUN: Standpoint = {
  screen: { at: 'run' },
  page: null,
  selected: null,
  top: 0,
  filter: '',
  asked: null,
  comments: [],
  note: null,
};
