import { sha } from '../../core/model/ids.ts';
import type { CommentSeen, ReviewSeen } from '../../core/model/pull.ts';
import type { CheckSaid } from '../../text/forge/checks.ts';
import { readMark } from '../../text/forge/marks.ts';
import type { PullFacts, PullRow } from '../contract/forge.ts';
import type { ForgePlace } from './github.ts';

/** What Gitea and Forgejo answer, as far as it is read. */
export interface GiteaPull {
  readonly number: number;
  readonly state: string;
  readonly title: string;
  readonly html_url: string;
  readonly updated_at: string;
  readonly body: string;
  readonly draft?: boolean;
  readonly merged: boolean;
  readonly merge_commit_sha: string | null;
  readonly mergeable: boolean;
  readonly labels: readonly { readonly name: string }[] | null;
  readonly assignees?: readonly GiteaUser[] | null;
  /** `label` stays the name of the branch when the branch is gone; `ref` does not. */
  readonly head: { readonly label: string; readonly sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly ref: string };
}

export interface GiteaUser {
  readonly login: string;
}

export interface GiteaReview {
  readonly id: number;
  readonly user: GiteaUser | null;
  readonly state: string;
  readonly body: string;
  readonly commit_id: string;
  readonly dismissed: boolean;
  readonly comments_count: number;
}

export interface GiteaComment {
  readonly id: number;
  readonly user: GiteaUser | null;
  readonly body: string;
  readonly path?: string;
  readonly position?: number;
  readonly original_position?: number;
}

export interface GiteaStatus {
  readonly id: number;
  readonly context: string;
  readonly status: string;
  readonly description: string;
  readonly target_url: string;
}

/** Who is heard: those who may write to the repository, and those the user listens to. */
export type Heard = (login: string) => boolean;

export function rowOf({ owner, repo }: Pick<ForgePlace, 'owner' | 'repo'>, raw: GiteaPull): PullRow {
  const from = raw.head.repo?.full_name ?? `${owner}/${repo}`;
  const isOwn = from.toLowerCase() === `${owner}/${repo}`.toLowerCase();
  return {
    number: raw.number,
    state: raw.state === 'open' ? 'open' : 'closed',
    branch: isOwn ? raw.head.label : `${from.split('/')[0] ?? ''}:${raw.head.label}`,
    head: sha(raw.head.sha),
    target: raw.base.ref,
    title: raw.title,
    url: raw.html_url,
    updated: raw.updated_at,
  };
}

export const factsOf = (place: Pick<ForgePlace, 'owner' | 'repo'>, raw: GiteaPull): PullFacts => ({
  ...rowOf(place, raw),
  isMerged: raw.merged,
  mergeCommit: raw.merged && raw.merge_commit_sha != null ? sha(raw.merge_commit_sha) : null,
  isDraft: raw.draft === true,
  // It says no as well while it is still finding out.
  canMerge: raw.mergeable ? true : null,
  body: raw.body,
  labels: (raw.labels ?? []).map(({ name }) => name),
  // It tells nobody.
  isArmed: false,
});

const STATES: Readonly<Record<string, ReviewSeen['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes',
  COMMENT: 'commented',
};

/** Null: it is being written, or somebody was asked for one. */
export function reviewOf(raw: GiteaReview, heard: Heard, self: string): ReviewSeen | null {
  const state = STATES[raw.state];
  if (state === undefined) return null;
  const by = raw.user?.login ?? 'ghost';
  const isHeard = heard(by);
  return {
    id: `review:${raw.id}`,
    by,
    state: raw.dismissed ? 'dismissed' : state,
    head: raw.commit_id === '' ? null : sha(raw.commit_id),
    counts: isHeard && by !== self,
    text: isHeard ? raw.body : '',
  };
}

export function commentOf(raw: GiteaComment, kind: 'issue' | 'line', heard: Heard, self: string): CommentSeen {
  const by = raw.user?.login ?? 'ghost';
  const mark = by === self ? readMark(raw.body) : null;
  const isHeard = heard(by) && mark === null;
  const line = [raw.position, raw.original_position].find((one) => one !== undefined && one > 0);
  return {
    id: `${kind}:${raw.id}`,
    by,
    counts: isHeard,
    text: isHeard ? raw.body : '',
    path: raw.path ?? null,
    line: line ?? null,
    mark,
  };
}

const GREEN = new Set(['success', 'skipped', 'warning']);

export const checkOf = ({ id, context, status, target_url: url }: GiteaStatus): CheckSaid => ({
  id: `status:${id}`,
  name: context,
  url: url === '' ? null : url,
  is: status === 'pending' ? 'pending' : GREEN.has(status) ? 'green' : 'red',
});
