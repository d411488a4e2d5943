import type { Sha } from '../../core/ids.ts';
import { reach } from '../failpoint.ts';
import { nameKept } from '../keep/keep-refs.ts';
import { isAncestor } from '../git/merge.ts';
import { readChanges } from '../git/publish-changes.ts';
import { readHeadFile } from '../git/ref-files.ts';
import { moveRef } from '../git/refs.ts';
import { realpathLoose } from '../git/worktree-admin.ts';
import type { Iteration } from '../world.ts';
import type { Fingerprint } from '../seal/fingerprint.ts';
import type { GitCommand } from '../seal/git-trace.ts';
import { gitDirOf } from './files-tree.ts';
import { readInPlaceNote, writeInPlaceNote } from './in-place-note.ts';
import type { CheckoutPlace } from './take-checkout.ts';

const COMMITS = new Set('commit merge cherry-pick revert am rebase pull'.split(' '));

/**
 * An agent that works in the user's checkout commits where the user would: on their branch, before any gate has seen it. Those
 * commits become the loop's own, and the branch goes back to where it was; the files stay as they are.
 */
export async function takeBackCommits(
  { repo, view }: CheckoutPlace,
  options: {
    readonly iteration: Iteration;
    readonly branch: string;
    readonly before: Fingerprint;
    readonly trace: readonly GitCommand[];
  },
): Promise<void> {
  const { iteration, branch, before, trace } = options;
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, iteration.cwd));
  const note = readInPlaceNote(repo, iteration.loop);
  if (head?.branch == null || head.branch === branch || head.commit === null || note === null) return;
  const ref = `refs/heads/${head.branch}`;
  const start = before.refs[ref];
  if (start === undefined || start === head.commit || !(await isAncestor(view, start, head.commit))) return;
  const folder = realpathLoose(iteration.cwd);
  const isTheirs = trace.some(
    ({ name, worktree }) => COMMITS.has(name) && worktree !== null && realpathLoose(worktree) === folder,
  );
  if (!isTheirs) return;
  await rememberCommits({ repo, view }, iteration, { start, made: head.commit });
  reach('place.back');
  await moveRef(view, ref, start, head.commit, 'paralph: what an agent committed in place waits for the gates');
}

/** What a person had changed before must not land by way of an agent's commit: such a commit is kept, and not built upon. */
async function rememberCommits(
  { repo, view }: CheckoutPlace,
  { loop }: Iteration,
  { start, made }: { readonly start: Sha; readonly made: Sha },
): Promise<void> {
  const note = readInPlaceNote(repo, loop);
  if (note === null) return;
  const mine = new Set(note.mine);
  const swept = (await readChanges(view, start, made)).some((change) => mine.has(change.path));
  if (swept) await nameKept(view, { name: loop, commit: made, reason: 'paralph: kept', durable: true });
  else writeInPlaceNote(repo, loop, { ...note, taken: [...new Set([...note.taken, made])] });
}
