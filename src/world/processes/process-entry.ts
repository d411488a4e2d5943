/** What the system says about one process, whoever owns it. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
  /** Ended, but not yet collected by its parent: signals reach it and do nothing. */
  readonly zombie: boolean;
  /** Suspended by a signal or held by a debugger. */
  readonly stopped: boolean;
}

export interface ProcessEntry extends ProcessStat {
  readonly token: string | null;
  readonly loop: string | null;
}

export interface ProcessSource {
  bootId(): string;
  stat(pid: number): ProcessStat | null;
  /** The command lines of a process and of those above it, nearest first. */
  commandsAbove(pid: number): readonly string[];
  /** Every living process, with the marks found in its environment where we may read it. */
  list(): readonly ProcessEntry[];
}
