import type { Sha } from './ids.ts';

/** What the checks of one head say together. none: there is no check yet. */
export type CheckVerdict = 'none' | 'pending' | 'green' | 'red';

export interface ChecksSeen {
  readonly verdict: CheckVerdict;
  /** Those that failed: what their log is asked by, and what people call them. */
  readonly failed: readonly { readonly id: string; readonly name: string; readonly url: string | null }[];
}

export interface ReviewSeen {
  readonly id: string;
  readonly by: string;
  readonly state: 'approved' | 'changes' | 'commented' | 'dismissed';
  /** What it was given for. */
  readonly head: Sha | null;
  /** Whether who gave it may write to the repository, or is listened to. */
  readonly counts: boolean;
  /** What it says beside its lines; empty where it does not count. */
  readonly text: string;
}

/** A comment as it was read. Of strangers nothing but that there is one. */
export interface CommentSeen {
  /** Kind and number: a review, a line of one, or the conversation. */
  readonly id: string;
  readonly by: string;
  /** Whether who wrote it may write to the repository, or is listened to. */
  readonly counts: boolean;
  /** Empty where it does not count. */
  readonly text: string;
  readonly path: string | null;
  readonly line: number | null;
  /** The mark of a comment of ours: what it answers, or what it says. */
  readonly mark: string | null;
}

/** A pull request as it was read last. What follows from it is derived, never decided on arrival. */
export interface PullSeen {
  readonly state: 'open' | 'closed';
  readonly head: Sha;
  readonly target: string;
  readonly checks: ChecksSeen;
  /** Since when the checks of this head have said this. */
  readonly checksAt: number;
  readonly reviews: readonly ReviewSeen[];
  readonly comments: readonly CommentSeen[];
  readonly canMerge: boolean | null;
  readonly isDraft: boolean;
  /** As the forge writes it. */
  readonly updated: string;
  /** It was read so long after that nothing of the same second can be missing. */
  readonly isSure: boolean;
}

/** Why a pull request needs a person. */
export type Stuck =
  | 'closed'
  /** The remote branch was rewritten, while there is work of ours that is not in it. */
  | 'rewritten'
  /** The remote branch and the loop both went on, and do not merge. */
  | 'both-changed'
  /** Red again on the head that was to mend it. */
  | 'unmended'
  /** It went back as often as it may. */
  | 'rounds'
  /** The forge does not merge it. */
  | 'refused'
  | 'merged-elsewhere'
  /** No check came in the time there is for that. */
  | 'unchecked'
  /** Another has done its task meanwhile. */
  | 'duplicate';

/** What a loop has on a forge. */
export interface Pull {
  /** The work that the head was made of; null: none was named yet. */
  readonly of: Sha | null;
  /** What is to stand on the remote branch, and in the pull request. */
  readonly head: Sha | null;
  /** The task is marked as done in that head. */
  readonly isTicked: boolean;
  /** Heads that a clean merge of the base made of others: an approval of those counts. */
  readonly same: Readonly<Record<Sha, Sha>>;
  /** What is known to stand on the remote branch; null: nothing of ours. */
  readonly pushed: Sha | null;
  /** Another has moved the remote branch: the ref itself has to be asked. */
  readonly isMoved: boolean;
  readonly number: number | null;
  readonly url: string | null;
  readonly seen: PullSeen | null;
  /** Comments that were given to the loop. */
  readonly heard: readonly string[];
  /** Of these, those nobody has answered. */
  readonly due: readonly string[];
  readonly rounds: number;
  /** Heads whose red checks went back to the loop. */
  readonly sentFor: readonly Sha[];
  /** How often the forge refused to merge it with nothing changed in between, and in what words. */
  readonly refused: { readonly times: number; readonly why: string } | null;
  /** A person has to approve it whatever the settings say: why. */
  readonly needs: string | null;
  /** Merged though the forge still shows it as open. */
  readonly isLeftOpen: boolean;
  /** The forge was asked to merge this head by itself. */
  readonly armed: Sha | null;
  /** Why it was put aside; null: it was not, or for another reason. */
  readonly stuck: Stuck | null;
  /** It was closed and is wanted again: a person took it back, or asked for it. */
  readonly isReopening?: boolean;
  /** What a reviewing agent of ours came to, by head; absent: none was asked. */
  readonly judged?: Readonly<Record<Sha, JudgedAs>>;
}

/** Silent: no verdict that can be understood. */
export type JudgedAs = 'approved' | 'changes' | 'silent';

export const NO_PULL: Pull = {
  of: null,
  head: null,
  isTicked: false,
  same: {},
  pushed: null,
  isMoved: false,
  number: null,
  url: null,
  seen: null,
  heard: [],
  due: [],
  rounds: 0,
  sentFor: [],
  refused: null,
  needs: null,
  isLeftOpen: false,
  armed: null,
  stuck: null,
};

/** Which host speaks to the forge. One at a time, until it is gone or suspended. */
export interface ForgeHold {
  readonly host: string | null;
  /** Whoever held it before may still have requests under way: nothing is opened or said before this time. */
  readonly easyAt: number;
  readonly isUneasy: boolean;
  /** When somebody asked for a look. */
  readonly askedAt: number;
}

/** What a host does on a forge; fixed when it joins. */
export interface ForgePolicy {
  readonly host: string;
  readonly repository: string;
  readonly remote: string;
  readonly checks: 'required' | 'none';
  /** Somebody has to approve: a person, or the reviewing agent. */
  readonly needsReview: boolean;
  /** The agent that is asked to review; absent: none is. */
  readonly reviewer?: string;
  readonly merge: 'person' | 'auto' | 'merger';
  readonly ciDeadlineMs: number;
  readonly rounds: number;
  /** It stays while pull requests are open. */
  readonly isFollowing: boolean;
  /** It stays while nothing but checks and its own merging keeps them open. */
  readonly isAwaiting?: true;
}
