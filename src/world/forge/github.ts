import { AppError } from '../../core/model/errors.ts';
import { sha } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { ChecksSeen, CommentSeen, ReviewSeen } from '../../core/model/pull.ts';
import { joinChecks } from '../../text/forge/checks.ts';
import type { CheckSaid } from '../../text/forge/checks.ts';
import { readMark } from '../../text/forge/marks.ts';
import type { Forge, MergeAnswer, MergeOrder, PullFacts, PullRow } from '../contract/forge.ts';
import type { Answered, ForgeClient } from './client.ts';
import { ARM, DISARM, ENQUEUE, PULL_ID } from './github-queries.ts';

export interface ForgePlace {
  readonly client: ForgeClient;
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
  /** Logins whose comments count beside those of collaborators. */
  readonly listened: readonly string[];
}

interface RawPull {
  readonly number: number;
  readonly state: string;
  readonly title: string;
  readonly html_url: string;
  readonly updated_at: string;
  readonly body: string | null;
  readonly draft?: boolean;
  readonly merged?: boolean;
  readonly merge_commit_sha?: string | null;
  readonly mergeable?: boolean | null;
  readonly auto_merge?: unknown;
  readonly labels?: readonly { readonly name?: string }[];
  readonly head: { readonly ref: string; readonly sha: string; readonly repo?: { readonly full_name?: string } | null };
  readonly base: { readonly ref: string };
}

interface RawComment {
  readonly id: number;
  readonly body?: string | null;
  readonly user: { readonly login: string } | null;
  readonly author_association?: string;
  readonly path?: string;
  readonly line?: number | null;
  readonly original_line?: number | null;
}

const R = '/repos/{owner}/{repo}';
const COLLABORATORS = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
/** GitHub says it in these words where asking again is all there is to do. */
const PASSES = /base branch was modified|try again|is being (?:checked|processed)|unknown mergeab/i;

/** GitHub, and GitHub Enterprise. */
export function openGithub(place: ForgePlace): Forge {
  return { ...openLooks(place), ...openActs(place) };
}

type Looks =
  | 'kind'
  | 'host'
  | 'repository'
  | 'budget'
  | 'login'
  | 'rows'
  | 'ofBranch'
  | 'pull'
  | 'reviews'
  | 'comments'
  | 'checks'
  | 'logTail'
  | 'rules';

function openLooks(place: ForgePlace): Pick<Forge, Looks> {
  const { client, owner, repo, host } = place;
  const at = { owner, repo };
  let self: string | null = null;
  const login = async (): Promise<string> =>
    (self ??= ((await client.get('/user')) as { readonly login: string }).login);
  return {
    kind: 'github',
    host,
    repository: `${owner}/${repo}`,
    budget: client.budget,
    login,
    rows: async () => {
      const list = { ...at, state: 'all', sort: 'updated', direction: 'desc', per_page: 100 };
      return ((await client.get(`${R}/pulls`, list)) as readonly RawPull[]).map((one) => rowOf(place, one));
    },
    ofBranch: async (branch) => {
      const list = { ...at, state: 'all', head: `${owner}:${branch}`, sort: 'created', direction: 'asc' };
      return ((await client.all(`${R}/pulls`, list)) as readonly RawPull[]).map((one) => rowOf(place, one));
    },
    pull: async (number) =>
      factsOf(place, (await client.get(`${R}/pulls/{pull_number}`, { ...at, pull_number: number })) as RawPull),
    reviews: async (number) => {
      const raw = await client.all(`${R}/pulls/{pull_number}/reviews`, { ...at, pull_number: number });
      return (raw as readonly (RawComment & { readonly state: string; readonly commit_id: string | null })[]).map(
        (one) => reviewOf(place, one, self),
      );
    },
    comments: async (number) => {
      await login();
      const said = await client.all(`${R}/issues/{issue_number}/comments`, { ...at, issue_number: number });
      const lines = await client.all(`${R}/pulls/{pull_number}/comments`, { ...at, pull_number: number });
      return [
        ...(said as readonly RawComment[]).map((one) => commentOf(place, one, 'issue', self)),
        ...(lines as readonly RawComment[]).map((one) => commentOf(place, one, 'line', self)),
      ];
    },
    checks: (head) => checksOf(place, head),
    logTail: (check) => logOf(place, check),
    rules: async (target) => {
      const rules = (await client.find(`${R}/rules/branches/{branch}`, { ...at, branch: target })) ?? [];
      const branch = (await client.find(`${R}/branches/{branch}`, { ...at, branch: target })) as {
        protected?: boolean;
      } | null;
      const kinds = (rules as readonly { readonly type: string }[]).map(({ type }) => type);
      return { isProtected: branch?.protected === true || kinds.length > 0, hasQueue: kinds.includes('merge_queue') };
    },
  };
}

function openActs(place: ForgePlace): Omit<Forge, Looks> {
  const { client, owner, repo, host } = place;
  const at = { owner, repo };
  return {
    open: async ({ branch, target, title, body }) => {
      const made = await client.send(`POST ${R}/pulls`, { ...at, head: branch, base: target, title, body });
      if (made.status === 201) return rowOf(place, made.data as RawPull);
      if (made.status === 422 && /already exists/i.test(made.message)) return null;
      throw refused(host, `to open a pull request of ${branch} into ${target}`, made);
    },
    decorate: async (number, { labels, reviewers, assignees }) => {
      const issue = { ...at, issue_number: number };
      const refusals: string[] = [];
      const add = async (what: string, list: readonly string[], route: string, values: object): Promise<void> => {
        if (list.length === 0) return;
        const { status, message } = await client.send(route, { ...at, ...values });
        if (status >= 300) refusals.push(`${what} ${list.join(', ')}: ${message}`);
      };
      await add('labels', labels, `POST ${R}/issues/{issue_number}/labels`, { ...issue, labels });
      await add('assignees', assignees, `POST ${R}/issues/{issue_number}/assignees`, { ...issue, assignees });
      await add('reviewers', reviewers, `POST ${R}/pulls/{pull_number}/requested_reviewers`, {
        pull_number: number,
        reviewers: reviewers.filter((one) => !one.includes('/')),
        team_reviewers: reviewers.flatMap((one) => one.split('/')[1] ?? []),
      });
      return refusals;
    },
    edit: (number, change) => done(place, `PATCH ${R}/pulls/{pull_number}`, { pull_number: number, ...change }),
    setState: (number, state) => done(place, `PATCH ${R}/pulls/{pull_number}`, { pull_number: number, state }),
    say: (number, body) => done(place, `POST ${R}/issues/{issue_number}/comments`, { issue_number: number, body }),
    unsay: (comment) =>
      done(place, `DELETE ${R}/issues/comments/{comment_id}`, { comment_id: Number(comment.split(':')[1]) }),
    merge: (order) => merge(place, order),
    arm: (order) => arm(place, order),
    disarm: async (number) => void (await client.graphql(DISARM, { id: await idOf(place, number) })),
  };
}

function rowOf({ owner, repo }: ForgePlace, raw: RawPull): PullRow {
  const from = raw.head.repo?.full_name ?? `${owner}/${repo}`;
  const isOwn = from.toLowerCase() === `${owner}/${repo}`.toLowerCase();
  return {
    number: raw.number,
    state: raw.state === 'open' ? 'open' : 'closed',
    branch: isOwn ? raw.head.ref : `${from.split('/')[0] ?? ''}:${raw.head.ref}`,
    head: sha(raw.head.sha),
    target: raw.base.ref,
    title: raw.title,
    url: raw.html_url,
    updated: raw.updated_at,
  };
}

const factsOf = (place: ForgePlace, raw: RawPull): PullFacts => ({
  ...rowOf(place, raw),
  isMerged: raw.merged === true,
  mergeCommit: raw.merged === true && raw.merge_commit_sha != null ? sha(raw.merge_commit_sha) : null,
  isDraft: raw.draft === true,
  canMerge: raw.mergeable ?? null,
  body: raw.body ?? '',
  labels: (raw.labels ?? []).flatMap(({ name }) => name ?? []),
  isArmed: raw.auto_merge != null,
});

const STATES: Readonly<Record<string, ReviewSeen['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes',
  DISMISSED: 'dismissed',
};

function counts({ listened }: ForgePlace, { user, author_association: is = '' }: RawComment): boolean {
  return COLLABORATORS.has(is) || (user !== null && listened.includes(user.login));
}

function reviewOf(
  place: ForgePlace,
  raw: RawComment & { readonly state: string; readonly commit_id: string | null },
  self: string | null,
): ReviewSeen {
  const isHeard = counts(place, raw);
  return {
    id: `review:${raw.id}`,
    by: raw.user?.login ?? 'ghost',
    state: STATES[raw.state] ?? 'commented',
    head: raw.commit_id === null ? null : sha(raw.commit_id),
    counts: isHeard && raw.user?.login !== self,
    text: isHeard ? (raw.body ?? '') : '',
  };
}

function commentOf(place: ForgePlace, raw: RawComment, kind: 'issue' | 'line', self: string | null): CommentSeen {
  const by = raw.user?.login ?? 'ghost';
  const mark = by === self ? readMark(raw.body ?? '') : null;
  const isHeard = counts(place, raw) && mark === null;
  return {
    id: `${kind}:${raw.id}`,
    by,
    counts: isHeard,
    text: isHeard ? (raw.body ?? '') : '',
    path: raw.path ?? null,
    line: raw.line ?? raw.original_line ?? null,
    mark,
  };
}

interface RawCheck {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly html_url: string | null;
  readonly output?: { readonly summary?: string | null; readonly text?: string | null };
}

const PASSED = new Set(['success', 'neutral', 'skipped']);

const saidByRun = ({ id, name, status, conclusion, html_url: url }: RawCheck): CheckSaid => ({
  id: `run:${id}`,
  name,
  url,
  is: status !== 'completed' ? 'pending' : PASSED.has(conclusion ?? '') ? 'green' : 'red',
});

/** Check runs and statuses are two lists of the same thing. */
async function checksOf({ client, owner, repo }: ForgePlace, head: Sha): Promise<ChecksSeen> {
  const at = { owner, repo, ref: head };
  const runs = (await client.all('/repos/{owner}/{repo}/commits/{ref}/check-runs', at)) as readonly RawCheck[];
  const { statuses } = (await client.get('/repos/{owner}/{repo}/commits/{ref}/status', { ...at, per_page: 100 })) as {
    readonly statuses: readonly { id: number; context: string; state: string; target_url: string | null }[];
  };
  const said = statuses.map(({ id, context, state, target_url: url }): CheckSaid => ({
    id: `status:${id}`,
    name: context,
    url,
    is: state === 'success' ? 'green' : state === 'pending' ? 'pending' : 'red',
  }));
  return joinChecks([...runs.map(saidByRun), ...said]);
}

/** The log of the workflow where it is one, else what the check itself says. */
async function logOf({ client, owner, repo }: ForgePlace, check: string): Promise<string> {
  const [kind, id] = check.split(':');
  if (kind !== 'run') return '';
  const log = await client.find('/repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
    owner,
    repo,
    job_id: Number(id),
  });
  return typeof log === 'string' ? log : '';
}

async function merge({ client, owner, repo }: ForgePlace, order: MergeOrder): Promise<MergeAnswer> {
  const { status, message } = await client.send('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
    owner,
    repo,
    pull_number: order.number,
    sha: order.head,
    merge_method: order.method,
    commit_title: order.title,
    commit_message: order.message,
  });
  if (status === 200) return { is: 'merged' };
  return { is: status === 409 || PASSES.test(message) ? 'later' : 'refused', why: message };
}

async function idOf({ client, owner, repo }: ForgePlace, number: number): Promise<string> {
  const found = (await client.graphql(PULL_ID, { owner, repo, number })) as {
    readonly repository: { readonly pullRequest: { readonly id: string } };
  };
  return found.repository.pullRequest.id;
}

async function arm(place: ForgePlace, { number, head, method }: MergeOrder): ReturnType<Forge['arm']> {
  const { client } = place;
  const id = await idOf(place, number);
  try {
    await client.graphql(ARM, { id, head, how: method.toUpperCase() });
    return 'armed';
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (/clean status/i.test(message)) return 'nothing to wait for';
    if (!/merge queue/i.test(message)) throw forgeRefused(place.host, `to merge #${number} by itself`, message);
  }
  await client.graphql(ENQUEUE, { id, head }).catch((error: unknown) => {
    throw forgeRefused(place.host, `to queue #${number}`, error instanceof Error ? error.message : '');
  });
  return 'armed';
}

async function done({ client, owner, repo, host }: ForgePlace, route: string, values: object): Promise<void> {
  const answer = await client.send(route, { owner, repo, ...values });
  if (answer.status >= 300) throw refused(host, route.split('/').at(-1) ?? route, answer);
}

const refused = (host: string, what: string, { status, message }: Answered): AppError =>
  forgeRefused(host, what, message === '' ? `status ${status}` : message);

const forgeRefused = (host: string, what: string, why: string): AppError =>
  new AppError('E_FORGE', `${host} refuses ${what}: ${why}`, { remedy: 'ralph doctor' });
