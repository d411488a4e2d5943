import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../e2e/harness/until.ts';
import { startGithub } from './github.ts';
import type { Github, Token } from './github-types.ts';
import type { Gitea, Who } from './gitea.ts';

/** A pull request as people see it, on whichever forge. */
export interface PullShown {
  readonly number: number;
  readonly branch: string;
  readonly target: string;
  readonly state: 'open' | 'closed';
  readonly merged: string | null;
  readonly head: string;
  readonly title: string;
  readonly body: string;
  readonly comments: readonly { readonly by: string; readonly body: string }[];
}

/** One repository on a forge, and what people do there. */
export interface EitherForge {
  readonly kind: 'github' | 'gitea';
  readonly git: string;
  /** What ralph finds its token by. */
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  readonly pulls: () => Promise<readonly PullShown[]>;
  readonly setCheck: (head: string, state: 'success' | 'failure' | 'pending', log?: string) => Promise<void>;
  readonly review: (number: number, state: 'APPROVED' | 'CHANGES_REQUESTED', body?: string) => Promise<void>;
  readonly comment: (
    number: number,
    who: 'reviewer' | 'stranger',
    body: string,
    on?: { readonly path: string; readonly line: number },
  ) => Promise<void>;
  readonly close: (number: number) => Promise<void>;
  readonly mergeByHand: (number: number) => Promise<void>;
  readonly removeBranch: (branch: string) => Promise<void>;
  /** The rules of main, for everybody. */
  readonly protect: (rules: {
    readonly checks?: boolean;
    readonly review?: boolean;
    readonly noPush?: boolean;
  }) => Promise<void>;
  /** What a person pushes, by force. */
  readonly push: (commit: string, branch: string) => Promise<void>;
  /** Its repository, for looking only. */
  readonly bare: string;
  readonly tip: (branch: string) => string | null;
  readonly show: (what: string) => string;
}

const run = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

const tryRun = (folder: string, ...args: string[]): string | null => {
  try {
    return run(folder, ...args);
  } catch {
    return null;
  }
};

const TOKENS: Readonly<Record<'reviewer' | 'stranger', Token>> = { reviewer: 'rev-token', stranger: 'stranger-token' };

/** The loopback GitHub answers in this very process: no git that waits for it may be waited for. */
export async function onGithub(root: string, seed: string): Promise<EitherForge & { readonly server: Github }> {
  const server = await startGithub(root, seed);
  const { bare } = server;
  const there = (number: number): Github['pulls'][number] => {
    const pull = server.pulls[number - 1];
    if (pull === undefined) throw new Error(`no pull request ${number}`);
    return pull;
  };
  const done = <T>(act: () => T): Promise<T> => Promise.resolve().then(act);
  return {
    server,
    bare,
    kind: 'github',
    git: server.git,
    env: { GH_TOKEN: 'octo-token' },
    token: 'octo-token',
    pulls: () =>
      done(() =>
        server.pulls.map((pull) => ({
          ...pull,
          head: server.headOf(pull),
          comments: [...pull.comments, ...pull.lines].map(({ login, body }) => ({ by: login, body })),
        })),
      ),
    setCheck: (head, state, log) => done(() => server.setCheck(head, 'ci', state === 'pending' ? null : state, log)),
    review: (number, state, body) => done(() => server.review(number, 'rev-token', state, body)),
    comment: (number, who, body, on) => done(() => server.comment(number, TOKENS[who], body, on)),
    close: (number) =>
      done(() => void Object.assign(there(number), { state: 'closed', updated: there(number).updated + 5000 })),
    mergeByHand: async (number) => {
      const answer = await fetch(`${server.url}/api/v3/repos/octo/shop/pulls/${number}/merge`, {
        method: 'PUT',
        headers: { authorization: 'bearer rev-token', 'content-type': 'application/json' },
        body: '{}',
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    // A pull request without its branch is closed.
    removeBranch: (branch) =>
      done(() => {
        run(bare, 'update-ref', '-d', `refs/heads/${branch}`);
        for (const pull of server.pulls)
          if (pull.branch === branch) Object.assign(pull, { state: 'closed', updated: pull.updated + 5000 });
      }),
    protect: ({ checks, review, noPush }) =>
      done(
        () =>
          void Object.assign(server.rules, {
            checks: checks === true,
            review: review === true,
            isProtected: noPush === true,
          }),
      ),
    push: (commit, branch) =>
      done(() => {
        run(bare, 'fetch', '-q', seed, commit);
        run(bare, 'update-ref', `refs/heads/${branch}`, commit);
        for (const pull of server.pulls) server.headOf(pull);
      }),
    tip: (branch) => tryRun(bare, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`),
    show: (what) => run(bare, 'show', what),
  };
}

/** A repository of its own on a Gitea that other tests use as well. */
export async function onGitea(
  gitea: Gitea,
  { name, target = 'main' }: { readonly name: string; readonly target?: string },
  seed: string,
): Promise<EitherForge> {
  const R = `/repos/octo/${name}`;
  const git = `${gitea.url}/octo/${name}.git`;
  const own = git.replace('://', `://octo:${gitea.tokens.octo}@`);
  await gitea.ask('octo', 'POST', '/user/repos', { name, default_branch: target });
  await gitea.ask('octo', 'PUT', `${R}/collaborators/reviewer`, { permission: 'write' });
  run(seed, 'push', '-q', own, `${target}:${target}`);
  const bare = join(gitea.repos, 'octo', `${name}.git`);
  interface Raw {
    readonly number: number;
    readonly title: string;
    readonly body: string;
    readonly state: 'open' | 'closed';
    readonly merged: boolean;
    readonly merge_commit_sha: string | null;
    readonly head: { readonly label: string; readonly sha: string };
    readonly base: { readonly ref: string };
  }
  const shown = async (raw: Raw) => ({
    number: raw.number,
    branch: raw.head.label,
    target: raw.base.ref,
    state: raw.state,
    merged: raw.merged ? raw.merge_commit_sha : null,
    head: raw.head.sha,
    title: raw.title,
    body: raw.body,
    comments: (
      (await gitea.ask('octo', 'GET', `${R}/issues/${raw.number}/comments`)) as {
        readonly user: { readonly login: string };
        readonly body: string;
      }[]
    ).map(({ user, body }) => ({ by: user.login, body })),
  });
  const heads = async (number: number): Promise<string> =>
    ((await gitea.ask('octo', 'GET', `${R}/pulls/${number}`)) as Raw).head.sha;
  const say = async (who: Who, path: string, body: object): Promise<void> =>
    void (await gitea.ask(who, 'POST', path, body));
  return {
    kind: 'gitea',
    bare,
    git,
    env: { GITEA_TOKEN: gitea.tokens.octo },
    token: gitea.tokens.octo,
    pulls: async () => {
      const raw = (await gitea.ask('octo', 'GET', `${R}/pulls?state=all&sort=oldest&limit=50`)) as readonly Raw[];
      return Promise.all(raw.map(shown));
    },
    setCheck: (head, state, description = '') =>
      say('octo', `${R}/statuses/${head}`, { state, context: 'ci', description }),
    review: async (number, state, body = '') =>
      say('reviewer', `${R}/pulls/${number}/reviews`, {
        event: state === 'APPROVED' ? state : 'REQUEST_CHANGES',
        body: body === '' && state !== 'APPROVED' ? 'not like this' : body,
        commit_id: await heads(number),
      }),
    comment: async (number, who, body, on) =>
      on === undefined
        ? say(who, `${R}/issues/${number}/comments`, { body })
        : say(who, `${R}/pulls/${number}/reviews`, {
            event: 'COMMENT',
            commit_id: await heads(number),
            comments: [{ path: on.path, new_position: on.line, body }],
          }),
    close: async (number) => void (await gitea.ask('octo', 'PATCH', `${R}/pulls/${number}`, { state: 'closed' })),
    mergeByHand: async (number) => {
      // It is still finding out whether it may be.
      await until('Gitea to merge it', () =>
        gitea.ask('reviewer', 'POST', `${R}/pulls/${number}/merge`, { do: 'merge' }).then(
          () => true,
          (error: unknown) => {
            if (String(error).includes('try again later')) return false;
            throw error;
          },
        ),
      );
    },
    removeBranch: async (branch) =>
      void (await gitea.ask('octo', 'DELETE', `${R}/branches/${encodeURIComponent(branch)}`)),
    protect: ({ checks, review, noPush }) =>
      say('octo', `${R}/branch_protections`, {
        rule_name: target,
        enable_push: noPush !== true,
        required_approvals: review === true ? 1 : 0,
        enable_status_check: checks === true,
        status_check_contexts: ['ci'],
        block_on_rejected_reviews: review === true,
      }),
    push: (commit, branch) => {
      run(seed, 'push', '-q', '--force', own, `${commit}:refs/heads/${branch}`);
      return Promise.resolve();
    },
    tip: (branch) => tryRun(bare, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`),
    show: (what) => run(bare, 'show', what),
  };
}
