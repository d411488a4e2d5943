import type { LoopId, Sha } from '../../../src/core/model/ids.ts';
import { sha } from '../../../src/core/model/ids.ts';

/** A set of tokens, one bit each. A token is the smallest thing that can be lost, conflict or turn a gate red. */
export type Tokens = bigint;

export interface Commit {
  readonly id: Sha;
  readonly parents: readonly Sha[];
  readonly tokens: Tokens;
  readonly tree: Sha;
  /** The commits it contains, one bit each. */
  readonly line: bigint;
  readonly bit: bigint;
  /** Made by a landing, not by a person or an agent. */
  readonly isOurs: boolean;
  readonly lands: LoopId | null;
}

/** Trees that hold all of these are red, unless they hold one of those. */
export interface Rule {
  readonly all: Tokens;
  unless: Tokens;
}

export type Mover = 'user' | 'stranger' | 'follow' | 'land' | 'publish' | 'put-back';

export interface Move {
  readonly ref: 'target' | 'integration';
  readonly from: Sha | null;
  readonly to: Sha;
  readonly by: Mover;
}

/** Git as sets: merging is union, a conflict is a relation, a gate is a predicate of the tree. */
export interface Repo {
  readonly commits: Map<Sha, Commit>;
  readonly rules: Rule[];
  /** The tokens of each file that two sides must not both change. */
  readonly files: Tokens[];
  readonly branches: Map<string, Sha>;
  readonly moves: Move[];
  readonly verdicts: Map<Tokens, boolean>;
  target: Sha;
  integration: Sha | null;
  tokensMade: number;
}

export const FILES = 3;

export function createRepo(): Repo {
  const repo: Repo = {
    commits: new Map(),
    rules: [],
    files: Array.from({ length: FILES }, () => 0n),
    branches: new Map(),
    moves: [],
    verdicts: new Map(),
    target: sha('c0'),
    integration: null,
    tokensMade: 0,
  };
  commit(repo, [], 0n);
  return repo;
}

/** A new token; in a file, where it may conflict, or nowhere in particular. */
export function newToken(repo: Repo, file: number | null = null): Tokens {
  const token = 1n << BigInt(repo.tokensMade);
  repo.tokensMade += 1;
  if (file !== null) repo.files[file] = (repo.files[file] ?? 0n) | token;
  return token;
}

export const treeOf = (tokens: Tokens): Sha => sha(`t${tokens.toString(32)}`);

export function commit(
  repo: Repo,
  parents: readonly Sha[],
  tokens: Tokens,
  made: { readonly isOurs: boolean; readonly lands: LoopId | null } = { isOurs: false, lands: null },
): Commit {
  const bit = 1n << BigInt(repo.commits.size);
  const line = parents.reduce((all, id) => all | get(repo, id).line, bit);
  const one: Commit = { id: sha(`c${repo.commits.size}`), parents, tokens, tree: treeOf(tokens), line, bit, ...made };
  repo.commits.set(one.id, one);
  return one;
}

export function get(repo: Repo, id: Sha): Commit {
  const found = repo.commits.get(id);
  if (found === undefined) throw new Error(`the model has no commit ${id}`);
  return found;
}

export const isAncestor = (repo: Repo, older: Sha, newer: Sha): boolean =>
  (get(repo, newer).line & get(repo, older).bit) !== 0n;

/** The files that both sides changed in their own way. */
export function conflictsOf(repo: Repo, ours: Tokens, theirs: Tokens): readonly string[] {
  const mine = ours & ~theirs;
  const other = theirs & ~ours;
  return repo.files.flatMap((file, index) =>
    (mine & file) !== 0n && (other & file) !== 0n ? [`file-${index}.txt`] : [],
  );
}

/** What the gates would say of this tree if they never lied. */
export function isGreen(repo: Repo, tokens: Tokens): boolean {
  const known = repo.verdicts.get(tokens);
  if (known !== undefined) return known;
  const green = violated(repo, tokens).length === 0;
  // New rules and new exceptions are about new tokens, so what was said of a tree stays true.
  repo.verdicts.set(tokens, green);
  return green;
}

export const violated = (repo: Repo, tokens: Tokens): readonly Rule[] =>
  repo.rules.filter(({ all, unless }) => (tokens & all) === all && (tokens & unless) === 0n);

export function move(repo: Repo, ref: Move['ref'], to: Sha, by: Mover): void {
  repo.moves.push({ ref, from: repo[ref], to, by });
  repo[ref] = to;
}

/** The commits along the first parents, newest first. */
export function firstParents(repo: Repo, from: Sha): readonly Commit[] {
  const found: Commit[] = [];
  for (let at: Sha | undefined = from; at !== undefined; at = found.at(-1)?.parents[0]) found.push(get(repo, at));
  return found;
}
