/** Who has which token, and what they are to the repository. */
export const PEOPLE = {
  'octo-token': { login: 'octo', is: 'OWNER' },
  'rev-token': { login: 'reviewer', is: 'COLLABORATOR' },
  'stranger-token': { login: 'stranger', is: 'NONE' },
} as const;
export type Token = keyof typeof PEOPLE;

export interface Review {
  readonly id: number;
  readonly login: string;
  readonly is: string;
  readonly state: string;
  readonly body: string;
  readonly commit: string;
}

export interface Said {
  readonly id: number;
  readonly login: string;
  readonly is: string;
  body: string;
  readonly path?: string;
  readonly line?: number;
}

export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly from: string;
  title: string;
  body: string;
  target: string;
  state: 'open' | 'closed';
  merged: string | null;
  draft: boolean;
  updated: number;
  armed: string | null;
  labels: string[];
  readonly reviewers: string[];
  readonly assignees: string[];
  readonly reviews: Review[];
  readonly comments: Said[];
  readonly lines: Said[];
}

export interface Issue {
  readonly number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  stateReason: string | null;
  readonly login: string;
  readonly is: string;
  labels: string[];
  milestone: string | null;
  assignees: string[];
  /** The issue it is a part of. */
  parent: number | null;
  updated: number;
  readonly comments: Said[];
}

/** What goes wrong with the next requests that fit. */
export interface Fault {
  readonly method: string;
  readonly path: RegExp;
  /** lost: it is done and the answer cut off; cut: nothing is done; slow: it takes its time; else the status that is answered. */
  readonly how: 'lost' | 'cut' | 'slow' | number;
  readonly message?: string;
  /** Made when it is answered: some of them name a time. */
  readonly headers?: () => Readonly<Record<string, string>>;
  times: number;
}

export interface Rules {
  checks: boolean;
  review: boolean;
  queue: boolean;
  /** Nobody pushes to the target. */
  isProtected: boolean;
}

export interface Github {
  readonly url: string;
  readonly git: string;
  readonly bare: string;
  readonly pulls: Pull[];
  readonly issues: Issue[];
  /** Labels that the repository has: case does not matter to who names one. */
  readonly spellings: string[];
  /** A person opens an issue; its number. */
  readonly issue: (title: string, more?: Partial<Omit<Issue, 'number' | 'title' | 'comments'>>) => number;
  readonly rules: Rules;
  readonly faults: Fault[];
  /** Every request but those of git: `GET /repos/…`; charged: it was not answered by 304. */
  readonly log: { readonly line: string; readonly charged: boolean; readonly login: string }[];
  /** What did not fit what GitHub publishes. */
  readonly mismatches: string[];
  readonly headOf: (pull: Pull) => string;
  readonly setCheck: (sha: string, name: string, conclusion: 'success' | 'failure' | null, log?: string) => void;
  readonly review: (
    number: number,
    token: Token,
    state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED',
    body?: string,
  ) => void;
  readonly comment: (number: number, token: Token, body: string, on?: { path: string; line: number }) => void;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}
