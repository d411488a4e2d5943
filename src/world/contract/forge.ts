import type { Sha } from '../../core/model/ids.ts';
import type { ChecksSeen, CommentSeen, ReviewSeen } from '../../core/model/pull.ts';
import type { LandingMethod } from '../../core/model/settings.ts';

/** A line of the list of pull requests: cheap to have, and enough to see which of them changed. */
export interface PullRow {
  readonly number: number;
  readonly state: 'open' | 'closed';
  /** The branch it is made of; of another repository: with its owner before a colon. */
  readonly branch: string;
  readonly head: Sha;
  readonly target: string;
  readonly title: string;
  readonly url: string;
  /** As the forge writes it, whole seconds. */
  readonly updated: string;
}

export interface PullFacts extends PullRow {
  readonly isMerged: boolean;
  /** Only believed once it is merged. */
  readonly mergeCommit: Sha | null;
  readonly isDraft: boolean;
  /** null: the forge does not know yet. */
  readonly canMerge: boolean | null;
  readonly body: string;
  readonly labels: readonly string[];
  /** The forge merges it by itself once its rules are met, or it waits in its queue. */
  readonly isArmed: boolean;
}

export interface PullOrder {
  readonly branch: string;
  readonly target: string;
  readonly title: string;
  readonly body: string;
}

export interface MergeOrder {
  readonly number: number;
  /** What was proved: the forge refuses where it has another head. */
  readonly head: Sha;
  readonly method: LandingMethod;
  readonly title: string;
  readonly message: string;
}

export type MergeAnswer =
  | { readonly is: 'merged' }
  /** Try again soon: nothing was decided. */
  | { readonly is: 'later'; readonly why: string }
  | { readonly is: 'refused'; readonly why: string };

/** What the forge asks of a branch before anything is merged into it. */
export interface BranchRules {
  readonly isProtected: boolean;
  /** Merged by a queue of the forge. */
  readonly hasQueue: boolean;
}

/** What the forge lets us ask now. */
export interface ForgeBudget {
  /** It said that it was too much: until then nothing is asked. */
  readonly held: { readonly kind: 'rate' | 'limit'; readonly untilMs: number; readonly detail: string } | null;
  /** Little is left of this hour: only what has to be written is. */
  readonly isScarce: boolean;
  /** Requests that counted, of this process. */
  readonly charged: number;
}

/** One repository on a forge. Every act asks nothing and remembers nothing: whoever calls has looked first. */
export interface Forge {
  readonly kind: 'github' | 'gitea';
  /** Names the account whose limits count. */
  readonly host: string;
  readonly repository: string;
  budget(): ForgeBudget;
  /** Whose token it is. */
  login(): Promise<string>;
  /** The newest first, open and closed; as many as one request brings. */
  rows(): Promise<readonly PullRow[]>;
  /** All of a branch, whatever they go into, closed ones too; oldest first. */
  ofBranch(branch: string): Promise<readonly PullRow[]>;
  pull(number: number): Promise<PullFacts>;
  reviews(number: number): Promise<readonly ReviewSeen[]>;
  comments(number: number): Promise<readonly CommentSeen[]>;
  checks(head: Sha): Promise<ChecksSeen>;
  /** The end of what a failed check printed; empty: the forge does not tell. */
  logTail(check: string): Promise<string>;
  /** Null: there is one already. */
  open(order: PullOrder): Promise<PullRow | null>;
  /** Labels, reviewers and assignees, as far as the forge takes them; what it refused, in words. */
  decorate(
    number: number,
    wanted: {
      readonly labels: readonly string[];
      readonly reviewers: readonly string[];
      readonly assignees: readonly string[];
    },
  ): Promise<readonly string[]>;
  edit(number: number, change: { readonly title?: string; readonly body?: string }): Promise<void>;
  setState(number: number, state: 'open' | 'closed'): Promise<void>;
  say(number: number, text: string): Promise<void>;
  unsay(comment: string): Promise<void>;
  merge(order: MergeOrder): Promise<MergeAnswer>;
  /** Has the forge merge it by itself; merged: nothing was left to wait for. */
  arm(order: MergeOrder): Promise<'armed' | 'nothing to wait for'>;
  disarm(number: number): Promise<void>;
  rules(target: string): Promise<BranchRules>;
}
