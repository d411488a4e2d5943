import type { LoopId, Sha } from './ids.ts';
import type { GateReport } from './model.ts';

/** What a host does about main itself: test it and hold loops back while it fails, only tell of it, or never test it. */
export type BasePolicy = 'hold' | 'tell' | 'off';

/** Integration as it is, without the work of any loop, under one set of gates. */
export interface Base {
  readonly commit: Sha;
  readonly tree: Sha;
  /** Where the log had integration and the target when it was looked for: once they are elsewhere, it is looked for again. */
  readonly seen: Seen;
  /** How it fails, until a green tree takes its place; null: it does not, as far as known. */
  readonly red: BaseRed | null;
  /** Gate runs on this very tree since the last host joined. */
  readonly runs: number;
  /** What came of whoever goes on meanwhile, by tracker. */
  readonly mending: Readonly<Record<string, Mending>>;
}

export interface Seen {
  readonly integration: Sha | null;
  readonly target: Sha | null;
}

export interface BaseRed {
  readonly report: GateReport;
  /** What a fresh worktree lacks, each with the setting that brings it. */
  readonly likely: readonly string[];
}

export interface Mending {
  /** How often a loop said it was done and its gates were red. */
  readonly claims: number;
  /** Its gates are green: it has to land first, by itself or by a person. */
  readonly done: LoopId | null;
}
