/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What a person may do about it, ready to paste. */
  readonly remedy: string | null;
  /** It is ours, and `ralph doctor --fix` mends it. */
  readonly fixable?: boolean;
}
