import { lstatSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { loopId } from '../../core/model/ids.ts';
import { loopsOf } from '../../core/model/model.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { notWithin } from '../git/objects/history.ts';
import { deleteRef, listRefs, readRef } from '../git/refs/refs.ts';
import { runFolder } from '../git/run/state-places.ts';
import { UNDONE, listKeeps } from './list-keeps.ts';
import { forgetTaken } from './undo.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { KeepPlace } from './keep.ts';
import type { Keep } from './list-keeps.ts';

const DAY_MS = 86_400_000;
const INTEGRATION = 'refs/paralph/int/';
const BY_HAND = ['main', 'master'];

export interface Retention {
  readonly days: number;
  readonly nowMs: number;
}

/**
 * Where a keep's commits are safe without it: integration, and the branches it is published to. Where nothing was ever landed by
 * us, the branch that people land on by hand.
 */
export async function mainHeads(view: GitView): Promise<readonly Sha[]> {
  const integration = await listRefs(view, INTEGRATION);
  const heads = new Set(integration.values());
  const targets = [...integration.keys()].map((name) => name.slice(INTEGRATION.length));
  for (const name of targets.length === 0 ? BY_HAND : targets) {
    const target = await readRef(view, `refs/heads/${name}`);
    if (target !== null) heads.add(target);
  }
  return [...heads];
}

/** Those whose every part is on main or integration too, in this form or in the one in which it landed. */
export async function landedKeeps(view: GitView, state: State, keeps: readonly Keep[]): Promise<ReadonlySet<Keep>> {
  const mains = await mainHeads(view);
  const bare = keeps.filter((keep) => keep.head !== null && keep.index === null && keep.operation === null);
  const trees = await treesOf(view, bare);
  const whole = bare.filter((keep) => trees.get(keep.head ?? '') === keep.tree);
  const unlanded = await notWithin(view, whole.flatMap(commitsOf), mains);
  const landed = new Set<Keep>();
  for (const keep of whole) {
    const own = commitsOf(keep).filter((commit) => unlanded.has(commit));
    const loop = state.loops[keep.loop ?? loopId(keep.name)];
    const head = loop?.phase.at === 'landed' ? loop.head : null;
    // Squashed or replayed it landed in another form.
    if (own.length === 0 || (head !== null && (await areWithin(view, own, head)))) landed.add(keep);
  }
  return landed;
}

const commitsOf = ({ head, tip }: Keep): readonly Sha[] => [head, tip].filter((commit) => commit !== null);

async function treesOf(view: GitView, keeps: readonly Keep[]): Promise<ReadonlyMap<string, string>> {
  const heads = [...new Set(keeps.map((keep) => keep.head ?? ''))];
  const input = heads.map((head) => `${head}^{tree}\n`).join('');
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objectname)'], { input });
  const trees = stdout.split('\n');
  return new Map(heads.map((head, at) => [head, trees[at] ?? '']));
}

async function areWithin(view: GitView, commits: readonly Sha[], head: Sha): Promise<boolean> {
  for (const commit of commits) if (!(await isAncestor(view, commit, head))) return false;
  return true;
}

/** Keeps whose time is over. What has not landed has no end. */
export async function expiredKeeps(view: GitView, state: State, { days, nowMs }: Retention): Promise<readonly Keep[]> {
  const old = (await listKeeps(view)).filter((keep) => nowMs - keep.atMs > days * DAY_MS);
  return [...(await landedKeeps(view, state, old))];
}

export async function letGo({ repo, view }: KeepPlace, keep: Keep): Promise<void> {
  await deleteRef(view, `${UNDONE}/${keep.id}`, keep.commit);
  await deleteRef(view, keep.ref, keep.commit);
  forgetTaken(repo, keep.commit);
}

/** Loops that landed long ago and whose logs are still there. */
export function oldRuns(repo: Repository, state: State, { days, nowMs }: Retention): readonly Loop[] {
  return loopsOf(state).filter(
    (loop) => loop.phase.at === 'landed' && nowMs - loop.since > days * DAY_MS && isFolder(runsOf(repo, loop)),
  );
}

export function removeRuns(repo: Repository, loop: Loop): void {
  // A name with a slash in it would lead elsewhere.
  if (basename(runsOf(repo, loop)) === loop.id) rmSync(runsOf(repo, loop), { recursive: true, force: true });
}

const runsOf = (repo: Repository, loop: Loop): string => dirname(runFolder(repo, loop.id, 1));
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
