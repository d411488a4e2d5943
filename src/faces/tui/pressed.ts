import type { LoopId } from '../../core/model/ids.ts';
import { AT_RUN } from './model.ts';
import type { Asked, Model, Scope, Standpoint, Tab } from './model.ts';

export interface Key {
  /** As readline names it, with `ctrl-` before it where that was held; a letter as it was typed. */
  readonly name: string;
  /** What it types; empty: nothing. */
  readonly text: string;
}

/** What a key wants done beside what it changes on the screen. */
export type Wish =
  | { readonly do: 'leave' | 'suspend' | 'redraw' }
  /** Another part of a loop, or the same one anew. */
  | { readonly do: 'read' }
  /** A command of ours; what it prints is shown as a text, or its last line as a note. */
  | {
      readonly do: 'command';
      readonly words: readonly string[];
      readonly input: string | null;
      readonly show: 'text' | 'note';
    }
  | { readonly do: 'shell'; readonly loop: LoopId }
  | { readonly do: 'copy'; readonly text: string };

export interface Pressed {
  readonly to: Partial<Standpoint>;
  readonly wish: Wish | null;
}

export const NOTHING: Pressed = { to: {}, wish: null };

/** Somewhere else, where the answer to the last key is no longer of interest. */
export const went = (to: Partial<Standpoint>, wish: Wish | null = null): Pressed => ({
  to: { note: null, ...to },
  wish,
});
export const told = (text: string, isBad = false): Pressed => ({ to: { note: { text, isBad } }, wish: null });
export const wishes = (one: Wish): Pressed => ({ to: { note: null }, wish: one });

export const asks = (what: Asked['what'], prompt: string): Pressed => went({ asked: { what, prompt, text: '' } });

export const opened = (loop: LoopId, tab: Tab, scope: Scope = 'whole branch'): Pressed =>
  went({ screen: { at: 'loop', loop, tab, scope }, page: null }, { do: 'read' });

/** The list, as it was left. */
export const backAtRun = ({ selected, top, filter, comments }: Model): Pressed =>
  went({ ...AT_RUN, selected, top, filter, comments });

export const command = (show: 'text' | 'note', words: readonly string[], input: string | null = null): Pressed =>
  wishes({ do: 'command', words, input, show });
