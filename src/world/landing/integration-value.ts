import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Known, SeenValue, ValueFacts } from '../../core/loops/integration-value.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { deleteRef, landRef, readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import { refsBelow } from '../git/refs/update-refs.ts';
import type { GitView } from '../git/run/view.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { findLeak } from '../seal/is-leak.ts';
import { pastValues } from '../git/refs/past-values.ts';

export interface ValuePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly target: string;
  /** Where the target is looked up; absent: the user's branch of that name. */
  readonly targetRef?: string;
}

export const targetRefOf = ({ target, targetRef }: Pick<ValuePlace, 'target' | 'targetRef'>): string =>
  targetRef ?? `refs/heads/${target}`;

export const integrationRef = (target: string): string => `refs/paralph/int/${target}`;

/** Where integration is, and what git knows of that where the log has it elsewhere. */
export async function lookAtIntegration(place: ValuePlace, known: Known): Promise<SeenValue> {
  const head = await readOrNull(place);
  if (head === null || head === known.head || known.granted.includes(head)) return { head, facts: null };
  const facts = await factsOf(place, head, known.head);
  return { head, facts: facts.isTargets ? facts : { ...facts, landed: await landedIn(place, head, known) } };
}

/** A ref that holds no commit is as good as none. */
async function readOrNull({ view, target }: ValuePlace): Promise<Sha | null> {
  try {
    return await readRef(view, integrationRef(target));
  } catch (error) {
    if (error instanceof AppError && isDamaged({ view, target })) return null;
    throw error;
  }
}

const isDamaged = ({ view, target }: Pick<ValuePlace, 'view' | 'target'>): boolean =>
  readRefFile(view.refsDir, integrationRef(target)) === undefined;

const NOBODYS: ValueFacts = { isTargets: false, holdsKnown: false, isTakenBack: false, landed: null };

async function factsOf(place: ValuePlace, head: Sha, known: Sha | null): Promise<ValueFacts> {
  const { view } = place;
  if (!(await isCommit(view, head))) return NOBODYS;
  const named = await readRef(view, targetRefOf(place));
  // Where an agent put the branch, it is not the user's.
  const leak = named === null ? null : await findLeak(place, targetRefOf(place));
  const theirs = leak === null ? named : leak.from;
  if (theirs === null || !(await isAncestor(view, head, theirs))) return NOBODYS;
  if (known === null) return { ...NOBODYS, isTargets: true };
  const theirOwn = { ...NOBODYS, isTargets: true };
  if (await isAncestor(view, known, head)) return { ...theirOwn, holdsKnown: true };
  const isGone = !(await isAncestor(view, known, theirs));
  const isTakenBack = isGone && (await howParted(place, targetRefOf(place), known)).kind === 'taken-back';
  return { ...theirOwn, isTakenBack };
}

/** Something may have been put on top of a landing before anybody could tell of it. */
async function landedIn({ view }: ValuePlace, head: Sha, { granted }: Known): Promise<Sha | null> {
  if (!(await isCommit(view, head))) return null;
  for (const commit of granted.toReversed()) if (await isAncestor(view, commit, head)) return commit;
  return null;
}

const isCommit = async (view: GitView, id: Sha): Promise<boolean> =>
  (await view.run(['cat-file', '-e', `${id}^{commit}`], { ok: [0, 1, 128] })).code === 0;

/**
 * Keeps what was found on integration and nothing vouches for, then puts the ref where the log has it (null: at the target). Only
 * from that very value: whoever has moved it since may have known better, and is judged by the next look. Null: it was moved since.
 */
export async function putBackIntegration(
  place: ValuePlace,
  { found, to: goal }: { readonly found: Sha | null; readonly to: Sha | null },
): Promise<{ readonly to: Sha; readonly kept: string | null } | null> {
  const { view, target } = place;
  const to = goal ?? (await readRef(view, targetRefOf(place)));
  if (to === null) throw new AppError('E_NO_TARGET', `branch ${target} is gone`, { remedy: 'git branch --list' });
  const kept = found !== null && (await isCommit(view, found)) ? await keepFound(view, found) : null;
  if (found === null) await makeRoom(place);
  const { moved } = await landRef(view, integrationRef(target), to, found, 'put back to where the log has it');
  return moved ? { to, kept } : null;
}

const keepFound = (view: GitView, commit: Sha): Promise<string> =>
  nameKept(view, { name: 'integration', commit, reason: 'paralph: no landing of the log', durable: true });

/** What is no commit, or a folder with refs of somebody's in its place, leaves no room for the ref. */
async function makeRoom({ view, target }: ValuePlace): Promise<void> {
  const ref = integrationRef(target);
  for (const below of refsBelow(view, ref)) {
    const commit = await readRef(view, below);
    if (commit === null) continue;
    if (await isCommit(view, commit)) await keepFound(view, commit);
    await deleteRef(view, below, commit);
  }
  if (isDamaged({ view, target })) rmSync(join(view.refsDir, ref), { force: true });
}

/** How the user's branch and integration came apart. */
type Parting =
  /** The branch once held all of integration, and no longer does: its owner took that back. */
  | { readonly kind: 'taken-back' }
  /** The furthest value of the branch that integration holds; null: its past is not known. */
  | { readonly kind: 'apart'; readonly since: Sha | null };

/** Asks the branch's own reflog. */
export async function howParted(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  targetRef: string,
  integration: Sha,
): Promise<Parting> {
  let since: Sha | null = null;
  for (const value of pastValues(repo, targetRef)) {
    try {
      if (await isAncestor(view, integration, value)) return { kind: 'taken-back' };
      if (!(await isAncestor(view, value, integration))) continue;
      if (since === null || (await isAncestor(view, since, value))) since = value;
    } catch {
      // Collected as garbage since: older ones will be as well.
      break;
    }
  }
  return { kind: 'apart', since };
}
