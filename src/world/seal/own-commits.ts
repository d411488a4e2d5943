import { sha } from '../../core/model/ids.ts';
import { readRef } from '../git/refs/refs.ts';
import { isMadeBy, readReflog } from '../git/trace/reflog.ts';
import { noteOwn, readInPlaceNote, gitDirOf } from '../checkout/in-place-note.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { Iteration } from '../contract/world.ts';
import type { CheckoutPlace } from '../checkout/take-checkout.ts';
import type { Change } from '../git/objects/raw-changes.ts';

/** Git commands that make commits. */
export const COMMITS: ReadonlySet<string> = new Set('commit merge cherry-pick revert am rebase pull'.split(' '));

/** On a branch of a person's, who made a commit cannot be seen later: what the agent committed there is written down. */
export async function noteAgentCommits(
  { repo, view }: CheckoutPlace,
  options: {
    readonly iteration: Iteration;
    readonly branch: string;
    readonly before: Fingerprint;
    readonly trace: readonly GitCommand[];
  },
): Promise<void> {
  const { iteration, branch, before, trace } = options;
  const { loop, cwd } = iteration;
  const ref = `refs/heads/${branch}`;
  const start = before.refs[ref];
  const commands = commandsIn(cwd, trace, COMMITS);
  if (readInPlaceNote(repo, loop)?.home !== branch || start === undefined || commands.length === 0) return;
  const entries = readReflog(repo.commonDir, ref);
  const since = entries.slice(entries.findLastIndex(({ to }) => to === start) + 1);
  const tip = (await readRef(view, ref)) ?? start;
  // Without a reflog nobody can tell them apart; then all of it is the agent's.
  const moves =
    since.length > 0 ? since.filter((entry) => isMadeBy(commands, entry, since)) : [{ from: start, to: tip }];
  for (const { from, to } of moves) noteOwn(repo, loop, await madeBetween(view, from, to, before));
}

/** What a merge brought in from a branch that was there before was made by somebody else. */
export async function madeBetween(view: GitView, from: Sha, to: Sha, before: Fingerprint): Promise<readonly Sha[]> {
  const without = [...new Set([from, ...Object.values(before.refs)])].map((one) => `^${one}\n`);
  const input = `${to}\n${without.join('')}`;
  const { stdout } = await view.run(['rev-list', '--ignore-missing', '--stdin'], { input });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : sha(line)));
}

/** Commands of these names that an agent ran in a folder. */
export function commandsIn(
  folder: string,
  trace: readonly GitCommand[],
  names: ReadonlySet<string>,
): readonly GitCommand[] {
  const real = realpathLoose(folder);
  return trace.filter(({ name, worktree }) => names.has(name) && worktree !== null && realpathLoose(worktree) === real);
}

/** What a person committed in a checkout since an iteration began, or we published: what its agent committed is off the branch by now. */
export async function committedSince(
  { repo, view }: CheckoutPlace,
  { loop, cwd }: Iteration,
  before: Fingerprint,
): Promise<readonly Change[]> {
  const start = before.refs[`refs/heads/${readInPlaceNote(repo, loop)?.standing}`];
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, cwd))?.commit;
  return start === undefined || head == null || start === head ? [] : readChanges(view, start, head);
}
