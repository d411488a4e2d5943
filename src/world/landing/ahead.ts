import { sha } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import { CO_AUTHOR_TRAILER, coAuthors } from '../../text/commit-message.ts';
import { isAncestor, knowAncestor } from '../git/merge/merge.ts';
import { knowTree } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';

/** What a branch has that another commit has not. */
export interface Ahead {
  readonly commits: ReadonlySet<Sha>;
  readonly coAuthors: readonly string[];
  /** The one commit where it left the other's history; null: it left it at several places. */
  readonly fork: Sha | null;
  /** None of its commits is also in another branch that was asked about. */
  readonly isAlone: boolean;
}

interface Seen {
  readonly parents: readonly Sha[];
  readonly coAuthors: readonly string[];
}

/** A longer history is asked about branch by branch. */
const COMMITS_MAX = 20_000;
const BRANCHES_MAX = 2000;
/** More are left to git. */
const FORKS_MAX = 4;
/** Of a short branch every commit is worth remembering. */
const SHORT_MAX = 50;

const known = new WeakMap<GitView, Map<string, Ahead>>();

/** What was learnt about a branch; undefined: it was not asked about. */
export const knownAhead = (view: GitView, base: Sha, head: Sha): Ahead | undefined =>
  known.get(view)?.get(`${base} ${head}`);

/** Asks about all branches of a train at once: one process instead of three for each. */
export async function lookAhead(view: GitView, base: Sha, heads: readonly Sha[]): Promise<void> {
  // A newcomer may share commits with a branch that is known: whether one is alone is a question about all of them.
  if (heads.every((head) => knownAhead(view, base, head) !== undefined)) return;
  const graph = await readGraph(view, base, heads);
  if (graph === null) return;
  const within = new Map(heads.map((head) => [head, commitsOf(graph, head)]));
  const answers = known.get(view) ?? new Map<string, Ahead>();
  if (answers.size > BRANCHES_MAX) answers.clear();
  for (const [head, commits] of within) {
    const others = [...within].filter(([other]) => other !== head);
    const outside = [...commits].flatMap((commit) => graph.get(commit)?.parents ?? []).filter((p) => !commits.has(p));
    const forks = await furthest(view, [...new Set(outside)]);
    const [fork = null] = commits.size === 0 ? [head] : forks;
    if (commits.size <= SHORT_MAX) for (const commit of commits) knowAncestor(view, commit, head);
    answers.set(`${base} ${head}`, {
      commits,
      coAuthors: coAuthors([...commits].flatMap((commit) => graph.get(commit)?.coAuthors ?? [])),
      fork: forks.length > 1 ? null : fork,
      isAlone: others.every(([, them]) => [...commits].every((commit) => !them.has(commit))),
    });
  }
  known.set(view, answers);
}

/** Without those that others hold anyway: a branch that had main merged in left it at its start, too. */
async function furthest(view: GitView, commits: readonly Sha[]): Promise<readonly Sha[]> {
  if (commits.length < 2 || commits.length > FORKS_MAX) return commits;
  const held: Sha[] = [];
  for (const one of commits)
    for (const other of commits) if (one !== other && (await isAncestor(view, one, other))) held.push(one);
  return commits.filter((commit) => !held.includes(commit));
}

/** Null: too long. */
async function readGraph(view: GitView, base: Sha, heads: readonly Sha[]): Promise<ReadonlyMap<Sha, Seen> | null> {
  const format = `--format=%H %T %P%x00%(trailers:key=${CO_AUTHOR_TRAILER},valueonly,unfold,separator=%x01)%x02`;
  const args = ['log', `--max-count=${COMMITS_MAX + 1}`, format, '--stdin'];
  const { stdout } = await view.run(args, { input: [`^${base}`, ...heads, ''].join('\n') });
  const records = stdout.split('\x02').map((record) => record.trimStart());
  const graph = new Map<Sha, Seen>();
  for (const record of records) {
    if (record === '') continue;
    const [ids = '', named = ''] = record.split('\0');
    const [commit = '', tree = '', ...parents] = ids.trim().split(' ');
    graph.set(sha(commit), { parents: parents.map((parent) => sha(parent)), coAuthors: named.split('\x01') });
    knowTree(view, sha(commit), sha(tree));
  }
  return graph.size > COMMITS_MAX ? null : graph;
}

function commitsOf(graph: ReadonlyMap<Sha, Seen>, head: Sha): ReadonlySet<Sha> {
  const found = new Set<Sha>();
  const waiting = [head];
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    const seen = graph.get(commit);
    if (seen === undefined || found.has(commit)) continue;
    found.add(commit);
    waiting.push(...seen.parents);
  }
  return found;
}
