import { AppError } from '../../../core/model/errors.ts';
import { readWork } from '../../../text/forge/work-comment.ts';
import type { Work } from '../../../text/forge/work-comment.ts';
import { labelsIn } from '../../../text/trackers/issue-tasks.ts';
import type { Issue } from '../../../text/trackers/issue-tasks.ts';
import type { Answered, ForgeClient } from '../client.ts';

export interface IssuePlace {
  readonly client: ForgeClient;
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
}

/** The comment that tells of our work. */
export interface WorkSaid extends Work {
  readonly id: number;
}

/** One issue at a time, as it is now. Every act asks nothing: whoever calls has looked. */
export interface IssueCalls {
  /** All that are open, and those that were closed last. */
  readonly list: (labels: readonly string[]) => Promise<readonly Issue[]>;
  /** Null: there is none. A pull request is told as one. */
  readonly get: (number: number) => Promise<Issue | null>;
  readonly partsOf: (number: number) => Promise<readonly Issue[]>;
  /** Those of ours, and of collaborators who work with us: the oldest first. */
  readonly work: (number: number) => Promise<readonly WorkSaid[]>;
  readonly say: (number: number, body: string) => Promise<number>;
  readonly rewrite: (comment: number, body: string) => Promise<void>;
  readonly unsay: (comment: number) => Promise<void>;
  readonly label: (number: number, label: string) => Promise<void>;
  readonly unlabel: (number: number, label: string) => Promise<void>;
  readonly setOpen: (number: number, isOpen: boolean) => Promise<void>;
  readonly create: (order: NewIssue) => Promise<number>;
}

export interface NewIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

interface RawIssue {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly state: string;
  readonly user: { readonly login: string } | null;
  readonly author_association?: string;
  readonly labels: readonly (string | { readonly name?: string })[];
  readonly milestone: { readonly number: number; readonly title: string } | null;
  readonly assignees?: readonly { readonly login: string }[] | null;
  readonly parent_issue_url?: string | null;
  readonly sub_issues_summary?: { readonly total: number };
  readonly comments: number;
  readonly pull_request?: unknown;
}

interface RawComment {
  readonly id: number;
  readonly body?: string;
  readonly user: { readonly login: string } | null;
  readonly author_association?: string;
}

const R = '/repos/{owner}/{repo}';
const I = `${R}/issues/{issue_number}`;
const COLLABORATORS = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
/** What was closed longer ago is nobody's news: what depends on it is looked up by its number. */
const CLOSED_MAX = 100;

export function openIssueCalls(place: IssuePlace): IssueCalls {
  const { client, owner, repo } = place;
  const at = { owner, repo };
  const of = (number: number) => ({ ...at, issue_number: number });
  const done = async (route: string, values: object, absent = false): Promise<unknown> => {
    const answer = await client.send(route, { ...at, ...values });
    if (answer.status < 300 || (absent && answer.status === 404)) return answer.data;
    throw refused(place, route, answer);
  };
  return {
    list: async (labels) => {
      const chosen = { ...at, ...(labels.length === 0 ? {} : { labels: labels.join(',') }) };
      const open = await client.all(`${R}/issues`, { ...chosen, state: 'open', sort: 'created', direction: 'asc' });
      const recent = { state: 'closed', sort: 'updated', direction: 'desc', per_page: CLOSED_MAX };
      const closed = (await client.get(`${R}/issues`, { ...chosen, ...recent })) as readonly unknown[];
      const all = [...open, ...closed] as readonly RawIssue[];
      // The list of issues has pull requests in it, too; and one may be closed between two looks.
      const once = new Map(all.filter((raw) => raw.pull_request === undefined).map((raw) => [raw.number, raw]));
      return [...once.values()].map(issueOf);
    },
    get: async (number) => {
      const raw = (await client.find(I, of(number))) as RawIssue | null;
      return raw === null ? null : issueOf(raw);
    },
    partsOf: async (number) => ((await client.all(`${I}/sub_issues`, of(number))) as readonly RawIssue[]).map(issueOf),
    work: async (number) => {
      const said = (await client.all(`${I}/comments`, of(number))) as readonly RawComment[];
      const marked = said.filter(({ body = '' }) => readWork(body) !== null);
      const self = marked.some((one) => !isTrusted(one)) ? await loginOf(client) : null;
      return marked
        .filter((one) => isTrusted(one) || (self !== null && one.user?.login === self))
        .flatMap(({ id, body = '' }) => ({ ...(readWork(body) as Work), id }))
        .toSorted((a, b) => a.id - b.id);
    },
    say: async (number, body) => {
      const made = await done(`POST ${I}/comments`, { issue_number: number, body });
      return (made as { readonly id: number }).id;
    },
    rewrite: async (id, body) => void (await done(`PATCH ${R}/issues/comments/{comment_id}`, { comment_id: id, body })),
    unsay: async (id) => void (await done(`DELETE ${R}/issues/comments/{comment_id}`, { comment_id: id }, true)),
    label: async (number, label) => void (await done(`POST ${I}/labels`, { issue_number: number, labels: [label] })),
    unlabel: async (number, label) =>
      void (await done(`DELETE ${I}/labels/{name}`, { issue_number: number, name: label }, true)),
    setOpen: async (number, isOpen) => {
      const how = isOpen ? { state: 'open' } : { state: 'closed', state_reason: 'completed' };
      await done(`PATCH ${I}`, { issue_number: number, ...how });
    },
    create: async (order) => ((await done(`POST ${R}/issues`, order)) as { readonly number: number }).number,
  };
}

const isTrusted = ({ author_association: is = '' }: RawComment): boolean => COLLABORATORS.has(is);

/** Null: a token that belongs to no user. */
async function loginOf(client: ForgeClient): Promise<string | null> {
  try {
    return ((await client.find('/user')) as { readonly login: string } | null)?.login ?? null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function issueOf(raw: RawIssue): Issue {
  const parent = Number(/\/issues\/(\d+)$/.exec(raw.parent_issue_url ?? '')?.[1] ?? 0);
  return {
    number: raw.number,
    title: raw.title,
    body: raw.body ?? '',
    isOpen: raw.state === 'open',
    by: raw.user?.login ?? 'ghost',
    isByCollaborator: COLLABORATORS.has(raw.author_association ?? ''),
    labels: labelsIn(raw.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])))),
    milestone: raw.milestone === null ? null : { number: raw.milestone.number, title: raw.milestone.title },
    assignees: (raw.assignees ?? []).map(({ login }) => login),
    parent: parent === 0 ? null : parent,
    parts: raw.sub_issues_summary?.total ?? 0,
    comments: raw.comments,
  };
}

function refused({ host, owner, repo }: IssuePlace, route: string, { status, message }: Answered): AppError {
  const what = route.split(' ')[0] === 'POST' ? 'to write to' : 'to change';
  return new AppError(
    'E_FORGE',
    `${host} refuses ${what} issues of ${owner}/${repo}: ${message || `status ${status}`}`,
    {
      facts: ['the token needs: issues, read and write'],
      remedy: 'ralph doctor',
    },
  );
}
