import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { WHO, bodyOf, hash, invalid, missing, ok, refuse, textIn } from './answers.ts';
import type { Answer } from './answers.ts';
import { openChecks } from './checks.ts';
import { answerFor, checkQuery, checkRequest } from './contract.ts';
import { answerQuery } from './graphql.ts';
import { openIssuesApi } from './issues.ts';
import { PEOPLE } from './github-types.ts';
import type { Fault, Github, Pull, Rules, Said, Token } from './github-types.ts';
import { serveGit } from './serve-git.ts';

const SLOW_MS = 2000;
const RIGHTS = { admin: false, pull: true };
const OWNER = 'octo';
const NAME = 'shop';

/** A GitHub on loopback: real git behind it, its answers as published and as they were seen. */
export async function startGithub(root: string, seed: string): Promise<Github> {
  const projects = join(root, 'forge');
  const bare = join(projects, OWNER, `${NAME}.git`);
  mkdirSync(join(projects, OWNER), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', bare, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...WHO },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  execFileSync('git', ['clone', '-q', '--bare', seed, bare]);
  git('config', 'http.receivepack', 'true');
  const pulls: Pull[] = [];
  const rules: Rules = { checks: false, review: false, queue: false, isProtected: false };
  const faults: Fault[] = [];
  const log: { line: string; charged: boolean; login: string }[] = [];
  const mismatches: string[] = [];
  let ids = 0;
  const nextId = (): number => (ids += 1);
  const checks = openChecks(nextId, () => url());
  const tracked = openIssuesApi({
    nextId,
    pulls,
    url: () => url(),
    shownPull: (pull) => shown(pull),
  });
  let port = 0;
  let server: Server | null = null;
  const touch = (pull: Pull): void => void (pull.updated = Math.max(Date.now(), pull.updated + 1000));
  const tip = (branch: string): string | null => {
    try {
      return git('rev-parse', '--verify', '-q', `refs/heads/${branch}`);
    } catch {
      return null;
    }
  };
  const heads = new Map<number, string>();
  const headOf = (pull: Pull): string => {
    const now = pull.state === 'open' ? tip(pull.branch) : null;
    const known = heads.get(pull.number) ?? '';
    if (now !== null && now !== known) {
      heads.set(pull.number, now);
      if (known !== '') touch(pull);
    }
    return now ?? known;
  };
  const merging = (pull: Pull): { readonly tree: string | null } => {
    try {
      return { tree: git('merge-tree', '--write-tree', pull.target, headOf(pull)).split('\n')[0] ?? null };
    } catch {
      return { tree: null };
    }
  };
  const rulesLeft = (pull: Pull): string | null => {
    const last = [
      ...new Map(pull.reviews.filter((one) => one.state !== 'COMMENTED').map((one) => [one.login, one])).values(),
    ];
    if (rules.checks && checks.verdict(headOf(pull)) !== 'green') return 'Required status check "ci" is expected.';
    const isApproved = last.some((one) => one.state === 'APPROVED' && one.commit === headOf(pull));
    if (rules.review && (!isApproved || last.some((one) => one.state === 'CHANGES_REQUESTED')))
      return 'At least 1 approving review is required by reviewers with write access.';
    return null;
  };
  const merge = (pull: Pull, method: string, message: string): string | null => {
    const { tree } = merging(pull);
    if (tree === null) return null;
    const parents = method === 'squash' ? [pull.target] : [pull.target, headOf(pull)];
    const made = git('commit-tree', ...parents.flatMap((one) => ['-p', one]), '-m', message, tree);
    git('update-ref', `refs/heads/${pull.target}`, made);
    headOf(pull);
    Object.assign(pull, { state: 'closed', merged: made, armed: null });
    touch(pull);
    for (const other of pulls) if (other.state === 'open' && other.target === pull.target) touch(other);
    return made;
  };
  const mergeArmed = (): void => {
    for (const pull of pulls)
      if (pull.state === 'open' && pull.armed !== null && rulesLeft(pull) === null)
        merge(pull, pull.armed, `${pull.title} (#${pull.number})`);
  };
  const user = (login: string): object => ({ login });
  const shown = (pull: Pull): object => ({
    number: pull.number,
    id: pull.number,
    node_id: `PR_${pull.number}`,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    html_url: `${url()}/${OWNER}/${NAME}/pull/${pull.number}`,
    user: user(pull.from),
    draft: pull.draft,
    updated_at: new Date(pull.updated).toISOString().replace(/\.\d+Z$/, 'Z'),
    labels: pull.labels.map((name) => ({ name })),
    head: {
      ref: pull.branch,
      sha: headOf(pull),
      label: `${OWNER}:${pull.branch}`,
      repo: { full_name: `${OWNER}/${NAME}` },
    },
    base: { ref: pull.target, sha: tip(pull.target) ?? '' },
    auto_merge: pull.armed === null ? null : { merge_method: pull.armed },
  });
  const facts = (pull: Pull): object => ({
    ...shown(pull),
    merged: pull.merged !== null,
    merge_commit_sha: pull.merged,
    mergeable: pull.state === 'open' ? merging(pull).tree !== null : null,
    mergeable_state: 'clean',
  });
  const url = (): string => `http://127.0.0.1:${port}`;
  const spoken = ({ id, login, is, body, path, line }: Said): object => ({
    id,
    body,
    user: user(login),
    author_association: is,
    ...(path === undefined ? {} : { path, line, diff_hunk: '@@' }),
  });
  const api = (
    method: string,
    path: string,
    query: URLSearchParams,
    body: Record<string, unknown>,
    who: (typeof PEOPLE)[Token],
  ): Answer => {
    const at = /^\/repos\/[^/]+\/[^/]+(\/.*)$/.exec(path)?.[1] ?? path;
    const numbered = /^\/(?:pulls|issues)\/(\d+)(\/.*)?$/.exec(at);
    const pull = numbered === null ? undefined : pulls.find(({ number }) => number === Number(numbered[1]));
    const rest = `${method} ${numbered?.[2] ?? ''}`;
    if (path === '/user') return ok(user(who.login));
    if (path === '/rate_limit') return ok({});
    if (path === `/repos/${OWNER}/${NAME}`)
      return ok({ name: NAME, full_name: `${OWNER}/${NAME}`, permissions: { ...RIGHTS, push: who.is !== 'NONE' } });
    if (at === '/pulls' && method === 'GET') {
      const head = query.get('head')?.split(':')[1];
      const found = pulls.filter((one) => head === undefined || one.branch === head);
      for (const one of found) headOf(one);
      const isOldFirst = query.get('direction') === 'asc';
      return ok(found.toSorted((a, b) => (isOldFirst ? a.number - b.number : b.updated - a.updated)).map(shown));
    }
    if (at === '/pulls' && method === 'POST') return create(body, who.login);
    const ofChecks = checks.api(at);
    if (ofChecks !== null) return ofChecks;
    if (at.startsWith('/rules/branches/')) return ok(rules.queue ? [{ type: 'merge_queue' }] : []);
    if (at.startsWith('/branches/')) {
      const name = at.slice('/branches/'.length);
      return tip(name) === null ? missing : ok({ name, protected: rules.isProtected, commit: { sha: tip(name) } });
    }
    const ofIssues = tracked.api(method, at, query, body, who);
    if (ofIssues !== null) return ofIssues;
    const comment = /^\/issues\/comments\/(\d+)$/.exec(at);
    if (comment !== null && method === 'DELETE') {
      for (const one of pulls)
        one.comments.splice(0, one.comments.length, ...one.comments.filter(({ id }) => id !== Number(comment[1])));
      return { status: 204, data: undefined };
    }
    if (pull === undefined) return missing;
    headOf(pull);
    switch (rest) {
      case 'GET ':
        return ok(facts(pull));
      case 'PATCH ': {
        if (typeof body['state'] === 'string' && pull.merged === null) pull.state = body['state'] as 'open';
        if (typeof body['title'] === 'string') pull.title = body['title'];
        if (typeof body['body'] === 'string') pull.body = body['body'];
        touch(pull);
        return ok(facts(pull));
      }
      case 'GET /reviews':
        return ok(
          pull.reviews.map(({ id, login, is, state, body: text, commit }) => ({
            id,
            state,
            body: text,
            user: user(login),
            commit_id: commit,
            author_association: is,
          })),
        );
      case 'GET /comments':
        return ok((at.startsWith('/pulls') ? pull.lines : pull.comments).map(spoken));
      case 'POST /comments': {
        const said: Said = { id: nextId(), login: who.login, is: who.is, body: String(body['body']) };
        pull.comments.push(said);
        touch(pull);
        return { status: 201, data: spoken(said) };
      }
      case 'POST /labels':
        pull.labels = [...new Set([...pull.labels, ...((body['labels'] ?? []) as string[])])];
        return ok(pull.labels.map((name) => ({ name })));
      case 'POST /assignees':
        pull.assignees.push(...(body['assignees'] as string[]));
        return { status: 201, data: { number: pull.number } };
      case 'POST /requested_reviewers': {
        const asked = body['reviewers'] as string[];
        if (asked.includes(pull.from)) return refuse(422, 'Review cannot be requested from pull request author.');
        pull.reviewers.push(...asked);
        return { status: 201, data: shown(pull) };
      }
      case 'PUT /merge':
        return mergeNow(pull, body);
      default:
        return missing;
    }
  };
  const create = (body: Record<string, unknown>, from: string): Answer => {
    const [branch, target] = [String(body['head']).split(':').at(-1) ?? '', String(body['base'])];
    const head = tip(branch);
    if (head === null) return invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
    if (pulls.some((one) => one.state === 'open' && one.branch === branch && one.target === target))
      return invalid({
        resource: 'PullRequest',
        code: 'custom',
        message: `A pull request already exists for ${OWNER}:${branch}.`,
      });
    if (git('rev-list', '--count', `${target}..${branch}`) === '0')
      return invalid({
        resource: 'PullRequest',
        code: 'custom',
        message: `No commits between ${target} and ${branch}`,
      });
    const pull: Pull = {
      number: pulls.length + tracked.issues.length + 1,
      branch,
      from,
      target,
      title: String(body['title']),
      body: textIn(body, 'body', ''),
      state: 'open',
      merged: null,
      draft: false,
      updated: Date.now(),
      armed: null,
      labels: [],
      reviewers: [],
      assignees: [],
      reviews: [],
      comments: [],
      lines: [],
    };
    pulls.push(pull);
    heads.set(pull.number, head);
    return { status: 201, data: facts(pull) };
  };
  const mergeNow = (pull: Pull, body: Record<string, unknown>): Answer => {
    if (pull.state !== 'open') return refuse(405, 'Pull Request is not mergeable');
    if (body['sha'] !== undefined && body['sha'] !== headOf(pull))
      return refuse(409, 'Head branch was modified. Review and try the merge again.');
    const left = rulesLeft(pull);
    if (left !== null) return refuse(405, left);
    const text = `${textIn(body, 'commit_title', pull.title)}\n\n${textIn(body, 'commit_message', '')}`;
    const made = merge(pull, textIn(body, 'merge_method', 'merge'), text);
    return made === null
      ? refuse(405, 'Pull Request is not mergeable')
      : ok({ sha: made, merged: true, message: 'Pull Request successfully merged' });
  };
  const graph = { pulls, rulesLeft, rules, headOf };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url());
    if (/\.git\//.test(pathname)) return serveGit(projects, rules, request, response);
    if (pathname.startsWith('/logs/')) {
      const log = checks.logOf(Number(pathname.slice('/logs/'.length)));
      return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(log);
    }
    const method = request.method ?? 'GET';
    const token = (request.headers.authorization ?? '').replace(/^\w+ /, '') as Token;
    const who = PEOPLE[token];
    const path = pathname.replace(/^\/api\/v3/, '').replace(/^\/api\/graphql$/, '/graphql');
    const body = await bodyOf(request);
    const send = (status: number, data: unknown, more: Readonly<Record<string, string>> = {}): void => {
      const text = data === undefined ? '' : JSON.stringify(data);
      const tag = `"${hash(text)}"`;
      const isSame = method === 'GET' && status === 200 && request.headers['if-none-match'] === tag;
      log.push({ line: `${method} ${path}`, charged: !isSame, login: who?.login ?? '' });
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        ...(method === 'GET' && status === 200 ? { etag: tag } : {}),
        ...more,
      };
      if (isSame) return void response.writeHead(304, headers).end();
      response.writeHead(status, headers).end(text);
    };
    if (who === undefined)
      return send(401, {
        message: 'Bad credentials',
        documentation_url: 'https://docs.github.com/rest',
        status: '401',
      });
    const fault = faults.find((one) => one.times > 0 && one.method === method && one.path.test(path));
    if (fault !== undefined) fault.times -= 1;
    if (fault?.how === 'cut') return void request.socket.destroy();
    if (fault?.how === 'slow') await pause(SLOW_MS);
    if (typeof fault?.how === 'number')
      return send(
        fault.how,
        { message: fault.message ?? (fault.how === 429 ? 'You have exceeded a secondary rate limit' : 'fault') },
        fault.headers?.(),
      );
    try {
      if (path === '/graphql') {
        const answer = answerQuery(graph, body as { query: string; variables: Record<string, unknown> });
        mergeArmed();
        return send(200, answer);
      }
      checkQuery(method, path, searchParams);
      if (method !== 'GET') checkRequest(method, path, body);
      const { status, data, headers: more } = api(method, path, searchParams, body, who);
      if (fault?.how === 'lost') return void request.socket.destroy();
      if (status === 302) {
        log.push({ line: `${method} ${path}`, charged: true, login: who.login });
        return void response.writeHead(302, { location: String(data) }).end();
      }
      send(status, status === 204 ? undefined : answerFor(method, path, status, data), more);
    } catch (error) {
      mismatches.push(error instanceof Error ? error.message : String(error));
      send(500, { message: mismatches.at(-1) });
    }
  };
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((request, response) => void handle(request, response));
      server.listen(port, '127.0.0.1', () => {
        port = (server?.address() as AddressInfo | null)?.port ?? 0;
        resolve();
      });
    });
  await start();
  return {
    url: url(),
    git: `${url()}/${OWNER}/${NAME}.git`,
    bare,
    pulls,
    issues: tracked.issues,
    spellings: tracked.spellings,
    issue: tracked.issue,
    rules,
    faults,
    log,
    mismatches,
    headOf,
    setCheck: (...said) => {
      checks.setCheck(...said);
      mergeArmed();
    },
    review: (number, token, state, body = '') => {
      const pull = pulls.find((one) => one.number === number);
      if (pull === undefined) throw new Error(`no pull request ${number}`);
      const { login, is } = PEOPLE[token];
      pull.reviews.push({ id: nextId(), login, is, state, body, commit: headOf(pull) });
      touch(pull);
      mergeArmed();
    },
    comment: (number, token, body, on) => {
      const pull = pulls.find((one) => one.number === number);
      if (pull === undefined) throw new Error(`no pull request ${number}`);
      const { login, is } = PEOPLE[token];
      (on === undefined ? pull.comments : pull.lines).push({ id: nextId(), login, is, body, ...on });
      touch(pull);
    },
    stop: () =>
      new Promise((resolve) => {
        server?.closeAllConnections();
        server?.close(() => resolve());
      }),
    start,
  };
}
