import type { FailureKind } from '../../core/model/failure.ts';
import type { Driver } from '../../core/model/settings.ts';
import { DRIVERS } from '../../core/model/settings.ts';

/** What an agent tells while it works, whatever its protocol. */
export type AgentEvent =
  | {
      readonly type: 'started';
      readonly session: string | null;
      readonly model: string | null;
      /** Who pays, where the client tells. */
      readonly billing: 'key' | 'subscription' | null;
    }
  /** Words of the agent itself, never an echo of the prompt. A part continues the message begun before it. */
  | { readonly type: 'said'; readonly text: string; readonly isPart: boolean }
  | {
      readonly type: 'tool';
      readonly name: string;
      /** The command, the file, the question: one line. */
      readonly detail: string;
      readonly state: 'begun' | 'ended' | 'failed' | 'denied';
    }
  | {
      readonly type: 'usage';
      /** add: this much more; total: this much since the process began. */
      readonly tokens: {
        readonly scope: 'add' | 'total';
        readonly input: number;
        readonly cached: number;
        readonly output: number;
      } | null;
      readonly cost: { readonly scope: 'add' | 'total'; readonly usd: number } | null;
      /** Answers of the model this is about. */
      readonly turns: number;
    }
  /** The client waits and tries again by itself. */
  | { readonly type: 'throttled'; readonly why: string; readonly retryMs: number | null }
  | {
      readonly type: 'limit';
      readonly status: 'warning' | 'reached';
      readonly resetsAtMs: number | null;
      readonly detail: string;
    }
  /** The run came to its own end. */
  | {
      readonly type: 'finished';
      /** The last answer, where the ending tells it. */
      readonly text: string | null;
      readonly turns: number | null;
    }
  | { readonly type: 'failed'; readonly kind: FailureKind; readonly message: string };

/** How the bytes on an agent's standard output are to be read; the same for both ways to start claude. */
export type Protocol = Exclude<Driver, 'claude-stdio'>;
export const PROTOCOLS: readonly Protocol[] = DRIVERS.filter((driver) => driver !== 'claude-stdio');

/** Turns lines into events; remembers what it must between them. Never throws: a line it does not know says nothing. */
export interface Reader {
  readonly read: (line: string) => readonly AgentEvent[];
}
