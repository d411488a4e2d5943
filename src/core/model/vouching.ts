import type { Sha } from './ids.ts';
import type { GateReport } from './model.ts';

/** Where integration is, and why that is believed. The ref is no reason: anybody can write it. */
export interface Vouching {
  /** The branch that the hosts land on; null: none has joined yet. */
  readonly target: string | null;
  readonly integration: Sha | null;
  /** Why integration may be published as it is; null: the log holds no reason. */
  readonly proof: Proof | null;
  /** Tested commits that integration was let move to, while no record says yet whether it did. */
  readonly granted: readonly Sha[];
  /** Integration is not what the log can vouch for; null: it is. */
  readonly suspect: Suspect | null;
  /** What was put aside from integration, oldest first, bounded. */
  readonly putBacks: readonly PutBack[];
  /** Where integration was of other targets when this one was turned to. */
  readonly otherTargets: Readonly<Record<string, OtherTarget>>;
}

/**
 * Why integration may be published as it is. `landed`: the log landed it, with a green verdict of its exact tree where there are
 * gates. `user`: the target holds it.
 */
export type Proof = 'landed' | 'user';

export type Suspect = (Intruded | Unknown | Red) & {
  /** What has to be done about it could not be done: the next host tries again. */
  readonly isStuck?: true;
};

/** Something else moved the ref, or deleted it: it goes back to where the log has it. */
interface Intruded {
  readonly at: 'intruded';
  readonly head: Sha | null;
}

/** The log was lost, and integration holds commits that it does not know: they are tested before they are believed. */
interface Unknown {
  readonly at: 'unknown';
  readonly head: Sha;
  readonly tree: Sha;
  readonly reds: number;
}

/** Those are red: they are put aside. */
interface Red {
  readonly at: 'red';
  readonly head: Sha;
  readonly report: GateReport;
}

/** Integration went back from a value that nothing vouched for. */
export interface PutBack {
  /** null: the ref was deleted. */
  readonly found: Sha | null;
  readonly to: Sha;
  /** The ref that keeps what was found; null: there was nothing to keep. */
  readonly kept: string | null;
  /** The gate that failed on it; null: it was not asked. */
  readonly failing: string | null;
  readonly at: number;
}

export interface OtherTarget {
  readonly integration: Sha | null;
  readonly proof: Proof | null;
  readonly published: Sha | null;
}

export const NOTHING_VOUCHED: Vouching = {
  target: null,
  integration: null,
  proof: null,
  granted: [],
  suspect: null,
  putBacks: [],
  otherTargets: {},
};

/** Enough for a morning's answer. */
export const PUT_BACKS_MAX = 20;
