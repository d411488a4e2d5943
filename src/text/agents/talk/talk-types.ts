/** One side of a conversation with a client: told what the client prints, it says what to send. Lines have no line end. */
export interface Talk {
  /** What to send first. */
  begin(): readonly string[];
  /** Takes one line the client printed. Never throws: a line it does not know changes nothing. */
  take(line: string): TalkStep;
  /** Hands a message to the agent: at once where the protocol can. Null: not now; try again when a turn has ended. */
  steer(text: string): readonly string[] | null;
  /** Asks the client to give up what it is doing. Empty: there is nothing it could be told. */
  interrupt(): readonly string[];
}

export interface TalkStep {
  readonly send: readonly string[];
  /** turn-ended: the client did what it was told and waits. failed: it will not go on. */
  readonly state: TalkState;
  /** For whoever reads the error log; null: nothing to tell. */
  readonly note: string | null;
}

export type TalkState = 'going' | 'turn-ended' | 'failed';

/** Where a conversation is, and the step that says so. */
export interface Progress {
  state: TalkState;
  readonly step: (send?: readonly string[], note?: string | null) => TalkStep;
  readonly fail: (note: string) => TalkStep;
}

export function openProgress(): Progress {
  const progress: Progress = {
    state: 'going',
    step: (send = [], note = null) => ({ send, state: progress.state, note }),
    fail: (note) => {
      progress.state = 'failed';
      return progress.step([], note);
    },
  };
  return progress;
}
