import type { Sha } from '../../core/model/ids.ts';
import { commitTree } from '../git/objects/commit.ts';
import { writeBlob } from '../git/objects/trees.ts';
import { keepCommit, keepWorktree } from '../keep/keep.ts';
import { fillIndex, withPrivateIndex } from '../git/files/private-index.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Finding, Scene, ToKeep } from './scene.ts';
import type { GitView } from '../git/run/view.ts';
import type { Keep } from '../keep/list-keeps.ts';

/** Names everything the agent made where it should not have, before anything is put back. Gives the refs. */
export async function keepLeaks(scene: Scene, findings: readonly Finding[]): Promise<readonly string[]> {
  const leaks = findings.flatMap(({ keep }) => keep);
  const commits = new Set(leaks.flatMap((leak) => ('commit' in leak ? [leak.commit] : [])));
  const files = leaks.flatMap((leak) => ('path' in leak ? [leak] : []));
  if (files.length > 0) commits.add(await commitFiles(scene, files));
  const { iteration, branch, place } = scene;
  const why = findings.map(({ did }) => did).join('; ');
  const order = { act: 'leak', why, loop: iteration.loop, task: iteration.task, branch } as const;
  const refs: string[] = [];
  for (const commit of commits)
    if (await isCommit(scene, commit))
      refs.push((await keepCommit(place, { ...order, commit, name: iteration.loop })).ref);
  return refs;
}

/** The files of a worktree that was cut off from the repository, once it is joined to it again: not before, for git would obey what was planted. */
export async function keepOwn({ place, iteration, branch }: Scene, why: string): Promise<readonly string[]> {
  const { loop, task, cwd } = iteration;
  const kept = await keepWorktree(place, { act: 'leak', why, loop, task, branch, path: cwd });
  return kept === null ? [] : [kept.ref];
}

async function commitFiles(scene: Scene, files: readonly Extract<ToKeep, { path: string }>[]): Promise<Sha> {
  const { view, identity } = scene.place;
  const entries: string[] = [];
  for (const { path, bytes, isExecutable } of files) {
    const name = Buffer.from(path).toString('latin1');
    entries.push(`${isExecutable ? '100755' : '100644'} ${await writeBlob(view, bytes)} 0\t${name}`);
  }
  const tree = await withPrivateIndex(scene.place, null, async (index) => {
    await fillIndex(index, entries);
    return index.writeTree();
  });
  const message = leakMessage(scene.iteration.loop);
  return commitTree(view, { tree, parents: [], identity, message });
}

async function isCommit({ place }: Scene, commit: Sha): Promise<boolean> {
  return (await place.view.run(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128] })).code === 0;
}

/** How the commit of files that were written outside a worktree is told from commits that an agent made elsewhere. */
const leakMessage = (loop: string): string => `Files that ${loop} wrote outside its worktree\n`;

/** Files that are no work of a branch: what an agent wrote outside its worktree, by names that say where, or what git ignores in a checkout; null: the keep is of something else. */
export async function leakedFiles(view: GitView, keep: Keep): Promise<readonly string[] | null> {
  if (keep.act === 'in-place') return namesIn(view, keep);
  if (keep.act !== 'leak' || keep.head === null || keep.loop === null) return null;
  const said = await view.run(['log', '--no-show-signature', '-1', '--format=%P%x00%B', keep.head, '--']);
  const [parents, message = ''] = said.stdout.split('\0');
  if (parents !== '' || message.trim() !== leakMessage(keep.loop).trim()) return null;
  return namesIn(view, keep);
}

async function namesIn(view: GitView, { tree }: Keep): Promise<readonly string[]> {
  const { stdout } = await view.run(['ls-tree', '-r', '-z', '--name-only', tree]);
  return stdout.split('\0').filter((name) => name !== '');
}

/** Prints one of them: where it was, something else may be by now. */
export const showCommand = ({ ref }: Keep, name: string): string => `git show ${shellWord(`${ref}:${name}`)}`;
