import type { Finding } from '../contract/finding.ts';
import type { Repository } from '../git/run/repository.ts';

/** One kind of damage. What is not ours is only ever told of. */
export interface Repair {
  readonly check: string;
  /** What is not well, cheaply and without changing anything; nothing: all is. */
  look(): Promise<readonly Finding[]>;
  /** Mends what is fixable now, whatever an earlier look saw. Says what it did, one line for each thing. */
  fix(): Promise<readonly string[]>;
}

export interface RepairPlace {
  readonly repo: Repository;
  /** Absolute. */
  readonly worktreeRoot: string;
}

/** Ours to mend, and the remedy is to let us. */
export const fixable = (check: string, message: string, level: 'warn' | 'fail' = 'warn'): Finding => ({
  check,
  level,
  message,
  remedy: 'ralph doctor --fix',
  fixable: true,
});

/** Somebody else's: named with the command, and left alone. */
export const foreign = (check: string, level: 'warn' | 'fail', message: string, remedy: string | null): Finding => ({
  check,
  level,
  message,
  remedy,
});

export const healthy = (check: string, message: string): Finding => ({
  check,
  level: 'ok',
  message,
  remedy: null,
});
