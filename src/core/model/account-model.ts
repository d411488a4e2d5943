/** The account behind one or more agents. */
export interface Account {
  /** null: it may be used. */
  readonly hold: Hold | null;
  /** The limit is near: fewer loops at once until then. */
  readonly warnedUntilMs: number | null;
  /** Holds in a row without anything done in between. */
  readonly strikes: number;
}

export interface Hold {
  readonly kind: 'limit' | 'rate' | 'auth' | 'missing';
  /** null: until a person does something. */
  readonly untilMs: number | null;
  readonly detail: string;
  readonly since: number;
}
