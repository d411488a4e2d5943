export interface RedFile {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Its first failure, as vitest tells it. */
  readonly first: string;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Files with a failure, counted here alone. */
  readonly red: readonly RedFile[];
}

export function tallyFiles(results: unknown, how: { readonly code: number; readonly outside: number }): Tally;
export function addUp(parts: readonly Tally[]): Omit<Tally, 'red'>;
