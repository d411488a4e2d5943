/** Why a run of an agent came to nothing, as far as it told. */
export interface Failure {
  readonly kind: FailureKind;
  /** One line, as the agent put it. */
  readonly message: string;
}

export type FailureKind =
  /** Not logged in, or the key is refused. */
  | 'auth'
  /** Its program is not there, or cannot be run on this machine. */
  | 'missing'
  /** The account's usage limit is reached. */
  | 'limit'
  /** Too many requests at once. */
  | 'rate'
  /** The service is overloaded or broken. */
  | 'overloaded'
  /** The conversation does not fit the model. */
  | 'context'
  /** The model is not known or not allowed. */
  | 'model'
  /** A tool was not allowed to run. */
  | 'permission'
  /** The turn cap was reached. */
  | 'turns'
  /** The agent's own budget was reached. */
  | 'budget'
  /** Exit 0 without the event that ends a run. */
  | 'unfinished'
  /** Nothing was said for too long. */
  | 'stalled'
  /** More was printed than is allowed. */
  | 'flood'
  | 'other';

/** What the account behind an agent allows now. */
export interface HoldNotice {
  readonly kind: HoldKind;
  /** When it is over; null: not told. */
  readonly untilMs: number | null;
  readonly detail: string;
}

/** warning: the limit is near; the others: no work until it is over. */
export type HoldKind = 'warning' | 'limit' | 'rate' | 'auth' | 'missing';
