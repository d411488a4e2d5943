import { invariant } from '../../../core/model/assert.ts';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { attributeFolder } from './attributes.ts';
import { leadsBack } from '../objects/history.ts';
import { readConflicts } from './merge-stages.ts';
import type { Conflicts } from './merge-stages.ts';
import { remember } from '../objects/remember.ts';
import type { GitView } from '../run/view.ts';

export type Merged =
  | { readonly clean: true; readonly tree: Sha }
  | ({ readonly clean: false; readonly tree: Sha } & Conflicts);

const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Merges two commits without a checkout, under the attributes committed in `under`. Commits without a common ancestor throw:
 * ask `mergeBase` first where that can happen.
 */
export async function mergeInMemory(view: GitView, ours: Sha, theirs: Sha, under = ours): Promise<Merged> {
  invariant(OBJECT_ID.test(ours) && OBJECT_ID.test(theirs), `not object ids: ${ours} ${theirs}`);
  const workTree = await attributeFolder(view, under);
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  const merge = await view.run(args, { ok: [0, 1], workTree });
  const [tree = '', ...rest] = merge.stdout.split('\0');
  // Exit code 1 also means "no such commit"; only a conflict comes with a tree.
  if (!OBJECT_ID.test(tree)) {
    const facts = merge.stderr.split('\n').filter((line) => line !== '');
    throw new AppError('E_GIT', `${ours} and ${theirs} could not be merged`, { facts });
  }
  if (merge.code === 0) return { clean: true, tree: sha(tree) };
  return { clean: false, tree: sha(tree), ...readConflicts(rest) };
}

const commonAncestors = remember(async (view, key) => {
  const [a = '', b = ''] = key.split(' ');
  if (leadsBack(view, b, a)) return [sha(a)];
  if (leadsBack(view, a, b)) return [sha(b)];
  const listed = await view.run(['merge-base', '--all', a, b], { ok: [0, 1] });
  return listed.stdout.split('\n').flatMap((line) => (line === '' ? [] : sha(line)));
});

const ancestry = remember(async (view, key) => {
  const [ancestor = '', of = ''] = key.split(' ');
  return (
    leadsBack(view, of, ancestor) ||
    (await view.run(['merge-base', '--is-ancestor', ancestor, of], { ok: [0, 1] })).code === 0
  );
});

export async function isAncestor(view: GitView, ancestor: Sha, of: Sha): Promise<boolean> {
  const isOne = ancestor === of || (await ancestry.ask(view, `${ancestor} ${of}`));
  if (isOne) knowAncestor(view, ancestor, of);
  return isOne;
}

/** Whoever made a commit knows what went into it. */
export function knowAncestor(view: GitView, ancestor: Sha, of: Sha): void {
  ancestry.know(view, `${ancestor} ${of}`, true);
  commonAncestors.know(view, `${ancestor} ${of}`, [ancestor]);
}

/** One best common ancestor, or null for unrelated histories. */
export async function mergeBase(view: GitView, a: Sha, b: Sha): Promise<Sha | null> {
  const answer = await view.run(['merge-base', a, b], { ok: [0, 1] });
  const base = answer.stdout.trim();
  return base === '' ? null : sha(base);
}

/** The last commits that all of these hold: one, where they have one history. */
export async function forkOfAll(view: GitView, commits: readonly Sha[]): Promise<readonly Sha[]> {
  const [first, ...others] = new Set(commits);
  if (first === undefined || others.length === 0) return first === undefined ? [] : [first];
  const listed = await view.run(['merge-base', '--all', '--octopus', first, ...others], { ok: [0, 1] });
  return listed.stdout.split('\n').flatMap((line) => (line === '' ? [] : sha(line)));
}

/** Every best common ancestor: none for unrelated histories, `a` alone where `b` is ahead of it. */
export async function mergeBases(view: GitView, a: Sha, b: Sha): Promise<readonly Sha[]> {
  const bases = await commonAncestors.ask(view, `${a} ${b}`);
  ancestry.know(view, `${a} ${b}`, bases.includes(a));
  return bases;
}
