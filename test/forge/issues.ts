import { missing, ok, textIn } from './answers.ts';
import type { Answer } from './answers.ts';
import type { Github, Issue, PEOPLE, Pull, Said, Token } from './github-types.ts';

interface Around {
  readonly nextId: () => number;
  readonly pulls: readonly Pull[];
  readonly url: () => string;
  readonly shownPull: (pull: Pull) => object;
}

type Person = (typeof PEOPLE)[Token];
type Body = Readonly<Record<string, unknown>>;

interface IssuesApi extends Pick<Github, 'issues' | 'issue' | 'spellings'> {
  /** Null: it is about something else. */
  readonly api: (method: string, at: string, query: URLSearchParams, body: Body, who: Person) => Answer | null;
}

/** The issues of the loopback: one row of numbers with pull requests, and lists that have both in them. */
export function openIssuesApi({ nextId, pulls, url, shownPull }: Around): IssuesApi {
  const issues: Issue[] = [];
  const spellings: string[] = [];
  const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const spelled = (label: string): string => spellings.find((own) => isSame(own, label)) ?? label;
  const touch = (one: Issue): void => void (one.updated = Math.max(Date.now(), one.updated + 1000));
  const place = (): string => `${url()}/repos/octo/shop`;
  const partsOf = (number: number): readonly Issue[] => issues.filter(({ parent }) => parent === number);
  const shown = (one: Issue): object => {
    const parts = partsOf(one.number);
    const done = parts.filter(({ state }) => state === 'closed').length;
    return {
      id: 1000 + one.number,
      number: one.number,
      node_id: `I_${one.number}`,
      state: one.state,
      state_reason: one.stateReason,
      title: one.title,
      body: one.body,
      html_url: `${url()}/octo/shop/issues/${one.number}`,
      user: { login: one.login },
      author_association: one.is,
      labels: one.labels.map((name) => ({ name })),
      milestone: one.milestone === null ? null : { number: 1, title: one.milestone },
      assignee: one.assignees[0] === undefined ? null : { login: one.assignees[0] },
      assignees: one.assignees.map((login) => ({ login })),
      comments: one.comments.length,
      closed_at: null,
      locked: false,
      updated_at: new Date(one.updated).toISOString().replace(/\.\d+Z$/, 'Z'),
      parent_issue_url: one.parent === null ? null : `${place()}/issues/${one.parent}`,
      sub_issues_summary: {
        total: parts.length,
        completed: done,
        percent_completed: parts.length === 0 ? 0 : Math.floor((100 * done) / parts.length),
      },
    };
  };
  const shownAsIssue = (pull: Pull): object => ({
    ...shownPull(pull),
    labels: pull.labels.map((name) => ({ name })),
    comments: pull.comments.length,
    pull_request: { url: null, html_url: null, diff_url: null, patch_url: null },
  });
  const spoken = ({ id, login, is, body }: Said): object => ({ id, body, user: { login }, author_association: is });
  const list = (query: URLSearchParams): Answer => {
    const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '');
    const state = query.get('state') ?? 'open';
    const fits = (one: { readonly state: string; readonly labels: readonly string[] }): boolean =>
      (state === 'all' || one.state === state) &&
      labels.every((label) => one.labels.some((own) => own.toLowerCase() === label.toLowerCase()));
    const all = [...issues, ...pulls].filter(fits).toSorted((a, b) => a.number - b.number);
    const isNewFirst = (query.get('direction') ?? 'desc') === 'desc';
    const by = query.get('sort') === 'updated' ? all.toSorted((a, b) => a.updated - b.updated) : all;
    const rows = isNewFirst ? by.toReversed() : by;
    const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)];
    const some = rows.slice((page - 1) * size, page * size);
    const isMore = rows.length > page * size;
    const data = some.map((one) => ('branch' in one ? shownAsIssue(one) : shown(one)));
    return isMore ? { ...ok(data), headers: { link: `<${place()}/issues?page=${page + 1}>; rel="next"` } } : ok(data);
  };
  const create = (body: Body, who: Person): Answer => {
    const number = add(textIn(body, 'title', ''), {
      body: textIn(body, 'body', ''),
      labels: (body['labels'] ?? []) as string[],
      login: who.login,
      is: who.is,
    });
    return { status: 201, data: shown(issues.find((one) => one.number === number) as Issue) };
  };
  const add: Github['issue'] = (title, more = {}) => {
    const number = pulls.length + issues.length + 1;
    issues.push({
      title,
      body: '',
      state: 'open',
      stateReason: null,
      login: 'octo',
      is: 'OWNER',
      labels: [],
      milestone: null,
      assignees: [],
      parent: null,
      updated: Date.now(),
      ...more,
      number,
      comments: [],
    });
    return number;
  };
  const one = (method: string, issue: Issue, rest: string, body: Body, who: Person): Answer => {
    const label = /^\/labels\/(.+)$/.exec(rest)?.[1];
    if (label !== undefined && method === 'DELETE') {
      const name = decodeURIComponent(label);
      if (!issue.labels.some((own) => isSame(own, name)))
        return { status: 404, data: { message: 'Label does not exist' } };
      issue.labels = issue.labels.filter((own) => !isSame(own, name));
      touch(issue);
      return ok(issue.labels.map((own) => ({ name: own })));
    }
    switch (`${method} ${rest}`) {
      case 'GET ':
        return ok(shown(issue));
      case 'PATCH ':
        if (typeof body['state'] === 'string') issue.state = body['state'] as 'open';
        issue.stateReason = textIn(body, 'state_reason', issue.state === 'open' ? 'reopened' : 'completed');
        touch(issue);
        return ok(shown(issue));
      case 'GET /sub_issues':
        return ok(partsOf(issue.number).map(shown));
      case 'GET /comments':
        return ok(issue.comments.map(spoken));
      case 'POST /comments': {
        const said: Said = { id: nextId(), login: who.login, is: who.is, body: String(body['body']) };
        issue.comments.push(said);
        touch(issue);
        return { status: 201, data: spoken(said) };
      }
      case 'POST /labels':
        issue.labels = [...new Set([...issue.labels, ...((body['labels'] ?? []) as string[]).map(spelled)])];
        touch(issue);
        return ok(issue.labels.map((name) => ({ name })));
      default:
        return missing;
    }
  };
  return {
    issues,
    spellings,
    issue: add,
    api: (method, at, query, body, who) => {
      if (at === '/issues') return method === 'POST' ? create(body, who) : list(query);
      const comment = /^\/issues\/comments\/(\d+)$/.exec(at);
      const owner = issues.find(({ comments }) => comments.some(({ id }) => id === Number(comment?.[1])));
      const said = owner?.comments.find(({ id }) => id === Number(comment?.[1]));
      if (owner !== undefined && said !== undefined) {
        touch(owner);
        if (method === 'PATCH') said.body = String(body['body']);
        else owner.comments.splice(owner.comments.indexOf(said), 1);
        return method === 'PATCH' ? ok(spoken(said)) : { status: 204, data: undefined };
      }
      const [, number, rest = ''] = /^\/issues\/(\d+)(\/.*)?$/.exec(at) ?? [];
      const issue = issues.find((known) => known.number === Number(number));
      return issue === undefined ? null : one(method, issue, rest, body, who);
    },
  };
}
