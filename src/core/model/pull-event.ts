import type { HostId, LoopId, Sha } from './ids.ts';
import type { GateReport } from './model.ts';
import type { JudgedAs, PullSeen, Stuck } from './pull.ts';

/** What happens on a forge, and to the branches there. */
export type PullEvent =
  /** A host speaks to the forge from now on, until it is gone or suspended. */
  | { readonly type: 'forge-taken'; readonly host: HostId }
  /** The forge asks to wait: nothing is asked there until then. */
  | {
      readonly type: 'forge-held';
      readonly account: string;
      readonly kind: 'rate' | 'limit';
      readonly untilMs: number;
      readonly detail: string;
    }
  /** A person wants pull requests to be looked at now. */
  | { readonly type: 'pulls-asked' }
  /** A person wants a loop's work to be a pull request, with its branch as it is. */
  | { readonly type: 'pull-asked'; readonly loop: LoopId; readonly head: Sha }
  /** The head that is to stand on a remote branch was made: the work with its task marked as done, both sides joined, or the base merged in. */
  | {
      readonly type: 'branch-named';
      readonly loop: LoopId;
      /** The head before; null: there was none. */
      readonly from: Sha | null;
      /** The work it is made of. */
      readonly of: Sha;
      readonly head: Sha;
      readonly isTicked: boolean;
      /** Nothing but the base was merged in: an approval of the head before counts. */
      readonly keeps?: true;
      /** What another had pushed, and this holds. */
      readonly theirs?: Sha;
    }
  /** The remote branch is at this commit. */
  | { readonly type: 'branch-pushed'; readonly loop: LoopId; readonly head: Sha }
  /** The remote branch was found elsewhere than it was left: by a push whose answer was lost, gone, or moved by others. */
  | {
      readonly type: 'branch-moved';
      readonly loop: LoopId;
      /** What was to be pushed. */
      readonly want: Sha;
      readonly head: Sha | null;
      readonly how: 'ours' | 'gone' | 'theirs';
    }
  /** There is a pull request of the loop. */
  | { readonly type: 'pull-opened'; readonly loop: LoopId; readonly number: number; readonly url: string }
  /** A look at a pull request. */
  | { readonly type: 'pull-seen'; readonly loop: LoopId; readonly seen: PullSeen }
  /** A pull request was merged into the target, or the target holds its work. */
  | {
      readonly type: 'pull-merged';
      readonly loop: LoopId;
      readonly commit: Sha;
      /** Our gates had passed the tree that it made. */
      readonly isProved: boolean;
      /** The forge still shows it as open. */
      readonly isLeftOpen?: true;
    }
  /** Comments of a pull request were given to its loop. */
  | { readonly type: 'pull-heard'; readonly loop: LoopId; readonly comments: readonly string[] }
  /** A comment was answered. */
  | { readonly type: 'comment-answered'; readonly loop: LoopId; readonly comment: string }
  /** One that was closed is open again. */
  | { readonly type: 'pull-reopened'; readonly loop: LoopId }
  /** We closed a pull request. */
  | { readonly type: 'pull-ended'; readonly loop: LoopId }
  /** The forge was asked to merge this head by itself, or (null) not to any more. */
  | { readonly type: 'pull-armed'; readonly loop: LoopId; readonly head: Sha | null }
  /** The forge refused to merge this head. */
  | {
      readonly type: 'merge-refused';
      readonly loop: LoopId;
      readonly head: Sha;
      readonly why: string;
      /** There was no answer: whether it was merged, the next look tells. */
      readonly isLost?: true;
    }
  /** The work in a pull request goes back to its loop. */
  | {
      readonly type: 'pull-returned';
      readonly loop: LoopId;
      readonly head: Sha;
      readonly why: 'checks' | 'conflict' | 'red';
      readonly detail: string;
      /** What the checks or the gates said; null: nothing. */
      readonly report: GateReport | null;
      readonly paths: readonly string[];
    }
  /** A pull request needs a person. */
  | {
      readonly type: 'pull-parked';
      readonly loop: LoopId;
      /** What it is about: of another head it is no news. Null: of every head. */
      readonly head: Sha | null;
      readonly why: Stuck;
      readonly detail: string;
    }
  /** A reviewing agent looked at a head. */
  | {
      readonly type: 'pull-judged';
      readonly loop: LoopId;
      readonly head: Sha;
      readonly verdict: JudgedAs;
      readonly said: string;
    }
  /** The gates ran on the tree that merging a pull request would make. */
  | {
      readonly type: 'pull-tested';
      readonly loop: LoopId;
      readonly gatesHash: string;
      readonly tree: Sha;
      readonly report: GateReport;
      readonly durationMs: number;
    };

const TYPES: Readonly<Record<PullEvent['type'], true>> = {
  'forge-taken': true,
  'forge-held': true,
  'pulls-asked': true,
  'pull-asked': true,
  'branch-named': true,
  'branch-pushed': true,
  'branch-moved': true,
  'pull-opened': true,
  'pull-seen': true,
  'pull-merged': true,
  'pull-heard': true,
  'comment-answered': true,
  'pull-reopened': true,
  'pull-ended': true,
  'pull-armed': true,
  'merge-refused': true,
  'pull-returned': true,
  'pull-parked': true,
  'pull-judged': true,
  'pull-tested': true,
};

export const isPullEvent = (event: { readonly type: string }): event is PullEvent => Object.hasOwn(TYPES, event.type);
