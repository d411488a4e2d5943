import type { CommentSeen } from '../../core/model/pull.ts';
import { joinChecks } from '../../text/forge/checks.ts';
import type { Forge } from '../contract/forge.ts';
import { giteaActs } from './gitea-acts.ts';
import { checkOf, commentOf, factsOf, reviewOf, rowOf } from './gitea-shapes.ts';
import type { GiteaComment, GiteaPull, GiteaReview, GiteaStatus, GiteaUser, Heard } from './gitea-shapes.ts';
import type { ForgePlace } from './github.ts';

const R = '/repos/{owner}/{repo}';
const PULL = `${R}/pulls/{index}`;
/** No page is longer, whatever is asked for. */
const LIMIT = 50;
/** Whoever may write there may have changed since. */
const WRITERS_MS = 10 * 60_000;

/** Gitea and Forgejo. Where their API differs from GitHub's, a real one was asked. */
export function openGitea(place: ForgePlace): Forge {
  return { ...giteaLooks(place), ...giteaActs(place) };
}

type Looks = Exclude<keyof Forge, keyof ReturnType<typeof giteaActs>>;

function giteaLooks(place: ForgePlace): Pick<Forge, Looks> {
  const { client, owner, repo, host, listened } = place;
  const at = { owner, repo };
  const described = new Map<string, string>();
  let self: string | null = null;
  const login = async (): Promise<string> => (self ??= ((await client.get('/user')) as GiteaUser).login);
  const heard = openWriters(place, listened);
  const reviewsOf = async (index: number): Promise<readonly GiteaReview[]> =>
    (await client.all(`${PULL}/reviews`, { ...at, index, limit: LIMIT })) as readonly GiteaReview[];
  return {
    kind: 'gitea',
    host,
    repository: `${owner}/${repo}`,
    budget: client.budget,
    login,
    rows: async () => {
      const list = { ...at, state: 'all', sort: 'recentupdate', limit: LIMIT };
      return ((await client.get(`${R}/pulls`, list)) as readonly GiteaPull[]).map((one) => rowOf(place, one));
    },
    // It has no filter by branch that does not name the target as well.
    ofBranch: async (branch) => {
      const list = { ...at, state: 'all', sort: 'recentupdate', limit: LIMIT };
      const rows = ((await client.all(`${R}/pulls`, list)) as readonly GiteaPull[]).map((one) => rowOf(place, one));
      return rows.filter((row) => row.branch === branch).sort((a, b) => a.number - b.number);
    },
    pull: async (index) => factsOf(place, (await client.get(PULL, { ...at, index })) as GiteaPull),
    reviews: async (index) => {
      const me = await login();
      const raw = await reviewsOf(index);
      const isHeard = await heard(raw.flatMap(({ user }) => user?.login ?? []));
      return raw.flatMap((one) => reviewOf(one, isHeard, me) ?? []);
    },
    comments: async (index) => {
      const me = await login();
      const said = ((await client.get(`${R}/issues/{index}/comments`, { ...at, index })) ??
        []) as readonly GiteaComment[];
      const lines: GiteaComment[] = [];
      for (const { id, comments_count: count } of await reviewsOf(index))
        if (count > 0)
          lines.push(
            ...((await client.get(`${PULL}/reviews/{id}/comments`, { ...at, index, id })) as readonly GiteaComment[]),
          );
      const isHeard = await heard([...said, ...lines].flatMap(({ user }) => user?.login ?? []));
      return [
        ...said.map((one): CommentSeen => commentOf(one, 'issue', isHeard, me)),
        ...lines.map((one): CommentSeen => commentOf(one, 'line', isHeard, me)),
      ];
    },
    checks: async (ref) => {
      const raw = (await client.all(`${R}/commits/{ref}/status`, {
        ...at,
        ref,
        limit: LIMIT,
      })) as readonly GiteaStatus[];
      for (const { id, description } of raw) described.set(`status:${id}`, description);
      return joinChecks(raw.map(checkOf));
    },
    // Logs of its actions have no address that a status tells; what the check says of itself has.
    logTail: (check) => Promise.resolve(described.get(check) ?? ''),
    rules: async (branch) => {
      const found = (await client.find(`${R}/branches/{branch}`, { ...at, branch })) as { protected?: boolean } | null;
      return { isProtected: found?.protected === true, hasQueue: false };
    },
  };
}

/** Gitea does not say beside a comment what its author is to the repository: who may be assigned may write. */
function openWriters({ client, owner, repo }: ForgePlace, listened: readonly string[]) {
  let writers = new Set<string>();
  let askedMs = Number.NEGATIVE_INFINITY;
  return async (logins: readonly string[]): Promise<Heard> => {
    if (logins.length > 0 && Date.now() - askedMs > WRITERS_MS) {
      const users = (await client.get(`${R}/assignees`, { owner, repo })) as readonly GiteaUser[];
      writers = new Set(users.map(({ login }) => login));
      askedMs = Date.now();
    }
    return (login) => writers.has(login) || listened.includes(login);
  };
}
