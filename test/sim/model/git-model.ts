import type { LoopId, Sha, TaskId } from '../../../src/core/model/ids.ts';
import { sha } from '../../../src/core/model/ids.ts';

/** What one commit brings: the smallest thing that can be lost, clash or break a gate. */
export interface Token {
  readonly id: string;
  /** 0 and 1: two such brought from two sides conflict. 2 and 3: together they fail the gates. Others are harmless. */
  readonly area: number;
  readonly bad: boolean;
  /** The token whose badness this one mends; `pair`: the one of areas 2 and 3. */
  readonly fixes: string | null;
  /** Conflict markers: no gate of these worlds sees them. */
  readonly isMarker?: boolean;
}

export interface Tree {
  readonly id: Sha;
  readonly tokens: ReadonlySet<string>;
  readonly isGreen: boolean;
  /** What would have to be mended. */
  readonly flaws: readonly string[];
  /** Conflict markers that nobody has taken away. */
  readonly markers: readonly Marker[];
}

export interface Marker {
  readonly id: string;
  readonly area: number;
  readonly path: string;
}

export interface Commit {
  readonly id: Sha;
  readonly index: number;
  readonly parents: readonly Sha[];
  readonly tree: Tree;
  /** The loop whose landing this commit is, as its trailer says. */
  readonly lands: Landing | null;
}

export interface Landing {
  readonly loop: LoopId;
  readonly task: TaskId;
}

export type Merged = { readonly tokens: ReadonlySet<string> } | { readonly conflicts: readonly string[] };

/** Git as sets of tokens: merging is union, a conflict is a relation, a gate is a predicate of the tree. */
export interface GitModel {
  readonly addToken: (token: Token) => string;
  readonly commit: (parents: readonly Sha[], tokens: Iterable<string>, lands?: Landing | null) => Commit;
  readonly get: (id: Sha) => Commit;
  readonly isAncestor: (older: Sha, newer: Sha) => boolean;
  readonly merge: (ours: Sha, theirs: Sha) => Merged;
  /** The same, with markers where it conflicts. */
  readonly mergeMarked: (ours: Sha, theirs: Sha) => { readonly commit: Sha; readonly conflicts: readonly string[] };
  /** The paths of what one commit has and the other lacks. */
  readonly changed: (from: Sha, to: Sha) => readonly string[];
  readonly findLanding: (from: Sha, loop: LoopId) => Sha | null;
  /** The landings along the first parents, newest first. */
  readonly landingsOf: (from: Sha) => readonly (Landing & { readonly commit: Sha })[];
}

export function createGitModel(): GitModel {
  const tokens = new Map<string, Token>();
  const trees = new Map<string, Tree>();
  const commits = new Map<Sha, Commit>();
  const get = (id: Sha): Commit => {
    const commit = commits.get(id);
    if (commit === undefined) throw new Error(`the model knows no commit ${id}`);
    return commit;
  };
  const treeOf = (held: Iterable<string>): Tree => {
    const sorted = [...new Set(held)].sort();
    const key = sorted.join(' ');
    const known = trees.get(key);
    if (known !== undefined) return known;
    const set = new Set(sorted);
    const flaws = flawsOf(set, tokens);
    const markers = markersOf(set, tokens);
    const tree: Tree = { id: sha(`t${trees.size}`), tokens: set, isGreen: flaws.length === 0, flaws, markers };
    trees.set(key, tree);
    return tree;
  };
  const isAncestor = (older: Sha, newer: Sha): boolean => {
    const floor = get(older).index;
    const seen = new Set<Sha>();
    const open = [newer];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (id === older) return true;
      const { index, parents } = get(id);
      if (index < floor || seen.has(id)) continue;
      seen.add(id);
      open.push(...parents);
    }
    return false;
  };
  const addToken = (token: Token): string => {
    tokens.set(token.id, token);
    return token.id;
  };
  const makeCommit: GitModel['commit'] = (parents, held, lands = null) => {
    const index = commits.size;
    const commit: Commit = { id: sha(`c${index}`), index, parents, tree: treeOf(held), lands };
    commits.set(commit.id, commit);
    return commit;
  };
  return {
    addToken,
    commit: makeCommit,
    get,
    isAncestor,
    merge: (ours, theirs) => merge(get(ours).tree.tokens, get(theirs).tree.tokens, tokens),
    mergeMarked: (ours, theirs) => {
      const areas = clashingAreas(get(ours).tree.tokens, get(theirs).tree.tokens, tokens);
      const markers = areas.map((area) =>
        addToken({ id: `marker:${area}:${ours}:${theirs}`, area, bad: false, fixes: null, isMarker: true }),
      );
      const held = [...get(ours).tree.tokens, ...get(theirs).tree.tokens, ...markers];
      return { commit: makeCommit([ours, theirs], held).id, conflicts: areas.map(pathOf) };
    },
    changed: (from, to) => {
      const [a, b] = [get(from).tree.tokens, get(to).tree.tokens];
      const differing = [...[...a].filter((id) => !b.has(id)), ...[...b].filter((id) => !a.has(id))];
      return [...new Set(differing.map((id) => pathOf(tokens.get(id)?.area ?? 9)))];
    },
    findLanding: (from, loop) => {
      for (let at: Sha | undefined = from; at !== undefined; at = get(at).parents[0])
        if (get(at).lands?.loop === loop) return at;
      return null;
    },
    landingsOf: (from) => {
      const found: (Landing & { readonly commit: Sha })[] = [];
      for (let at: Sha | undefined = from; at !== undefined; at = get(at).parents[0]) {
        const { lands } = get(at);
        if (lands !== null) found.push({ ...lands, commit: at });
      }
      return found;
    },
  };
}

export const pathOf = (area: number): string => `area-${area}.txt`;

function merge(ours: ReadonlySet<string>, theirs: ReadonlySet<string>, known: ReadonlyMap<string, Token>): Merged {
  const areas = clashingAreas(ours, theirs, known);
  return areas.length > 0 ? { conflicts: areas.map(pathOf) } : { tokens: new Set([...ours, ...theirs]) };
}

/** The files that both sides changed and that cannot be merged. */
function clashingAreas(
  ours: ReadonlySet<string>,
  theirs: ReadonlySet<string>,
  known: ReadonlyMap<string, Token>,
): readonly number[] {
  const hotAreas = (from: ReadonlySet<string>, lacking: ReadonlySet<string>): Set<number> =>
    new Set(
      [...from].flatMap((id) => {
        const area = known.get(id)?.area ?? 9;
        return area < 2 && !lacking.has(id) ? [area] : [];
      }),
    );
  const mine = hotAreas(ours, theirs);
  return [...hotAreas(theirs, ours)].filter((area) => mine.has(area));
}

function markersOf(held: ReadonlySet<string>, known: ReadonlyMap<string, Token>): readonly Marker[] {
  const all = [...held].flatMap((id) => known.get(id) ?? []);
  const gone = new Set(all.map((token) => token.fixes));
  return all.flatMap(({ id, area, isMarker }) =>
    isMarker === true && !gone.has(id) ? [{ id, area, path: pathOf(area) }] : [],
  );
}

function flawsOf(held: ReadonlySet<string>, known: ReadonlyMap<string, Token>): readonly string[] {
  const all = [...held].flatMap((id) => known.get(id) ?? []);
  const mended = new Set(all.map((token) => token.fixes));
  const flaws = all.filter((token) => token.bad && !mended.has(token.id)).map((token) => token.id);
  const clash = all.some((token) => token.area === 2) && all.some((token) => token.area === 3);
  return clash && !mended.has('pair') ? [...flaws, 'pair'] : flaws;
}
