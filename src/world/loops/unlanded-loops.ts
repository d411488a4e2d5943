import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { FoundLoop } from '../../core/model/found-loop.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { leftoversMessage } from '../../text/commit-message.ts';
import type { Identity } from '../git/run/identity.ts';
import { commitLeftovers } from './leftovers.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { listRefs, readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import { treeOf } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { type Keep, listKeeps } from '../keep/list-keeps.ts';
import { notedWorktrees } from '../worktrees/loop-notes.ts';
import type { NotedWorktree } from '../worktrees/loop-notes.ts';
import { withMutex } from '../processes/mutex.ts';
import { lockFile } from '../git/run/state-places.ts';
import { stopLeftoverAgents } from '../processes/leftover-agents.ts';

interface Place {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
}

/**
 * Loops whose work has not landed, from the notes beside their worktrees. For a log that lost them: whatever still works
 * there is ended, and what it left uncommitted is committed, so that nothing that comes next can lose it. What the log
 * knows goes on by itself and is left alone.
 */
export async function findUnlandedLoops(
  place: Place,
  isKnown: (loop: LoopId) => boolean = () => false,
): Promise<readonly FoundLoop[]> {
  return withMutex(lockFile(place.repo, 'found'), async () => {
    const noted = notedWorktrees(place.repo).filter(({ note }) => !isKnown(note.loop));
    const integrations = noted.length === 0 ? [] : [...(await listRefs(place.view, 'refs/paralph/int')).values()];
    const leaks = noted.length === 0 ? [] : (await listKeeps(place.view)).filter(({ act }) => act === 'leak');
    const found = new Map<string, FoundLoop>();
    for (const one of noted) {
      const leak = leaks.find((keep) => keep.loop === one.note.loop) ?? null;
      const loop = await look(place, one, integrations, leak);
      // A folder that vanished leaves its note; the loop may have got another worktree since.
      if (loop !== null && (loop.worktree !== null || !found.has(loop.loop))) found.set(loop.loop, loop);
    }
    return [...found.values()];
  });
}

async function look(
  place: Place,
  noted: NotedWorktree,
  integrations: readonly Sha[],
  leak: Keep | null,
): Promise<FoundLoop | null> {
  const { view } = place;
  const { note } = noted;
  try {
    const stands = await whereItStands(place, noted);
    if (stands === null) return null;
    const { head } = stands;
    for (const integration of head === note.base ? [] : integrations)
      if (await isAncestor(view, head, integration)) return null;
    // Gates alone judge only what was ready before; the rest goes on from its branch, by which its worktree is found.
    const worktree = leak !== null || (await wasReady(view, note.loop, head)) ? stands.worktree : null;
    const found = { ...note, baseTree: await treeOf(view, note.base), head, tree: await treeOf(view, head), worktree };
    return leak === null ? found : { ...found, tampered: leak.why };
  } catch (error) {
    // Too broken to go on with; it stays as it is, and `ralph doctor` names it.
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** A head that passed its gates was pinned under its loop's name. */
async function wasReady(view: GitView, loop: LoopId, head: Sha): Promise<boolean> {
  const folder = `refs/paralph/keep/${loop}`;
  return [...(await listRefs(view, 'refs/paralph/keep'))].some(
    ([ref, commit]) => commit === head && (ref.startsWith(`${folder}/`) || ref.startsWith(`${folder}-`)),
  );
}

/** Null: it was given back, is in other hands, or somebody works there. */
async function whereItStands(
  { repo, view, identity }: Place,
  { adminDir, path, note }: NotedWorktree,
): Promise<{ readonly head: Sha; readonly worktree: string | null } | null> {
  const tip = await readRef(view, `refs/heads/${note.branch}`);
  const standsOn = readHeadFile(repo.commonDir, adminDir)?.branch ?? null;
  if (tip === null && standsOn !== note.branch) return null;
  if (!(await stopLeftoverAgents(note.loop, path))) return null;
  if (!existsSync(join(path, '.git'))) return tip === null ? null : { head: tip, worktree: null };
  const { head, odd } = await commitLeftovers(repo, {
    path,
    branch: note.branch,
    message: leftoversMessage(note.title, note.loop, 0),
    base: note.base,
    // Nothing may be lost here; the gates say what of it waits for a person.
    maxNew: null,
    identity,
  });
  // What the branch could not take has a ref of its own; the loop goes on from its branch.
  return { head: odd === null ? head : (tip ?? head), worktree: path };
}
