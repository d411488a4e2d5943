import { type Sha, sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { readRef } from '../git/refs/refs.ts';
import type { GitView } from '../git/run/view.ts';
import { listKeeps } from '../keep/list-keeps.ts';
import type { Write } from '../os/rewrite-stream.ts';

/** What a loop made: from where it left the target to where it is. */
export interface LoopDiff {
  readonly base: Sha;
  readonly head: Sha;
  /** Where the head was found: what a loop made outlives its branch. */
  readonly from: 'branch' | 'landing' | 'keep' | 'log';
}

/** Null: nothing of it is left, or it has not begun. */
export async function findLoopDiff(view: GitView, state: State, loop: Loop, target: string): Promise<LoopDiff | null> {
  if (loop.phase.at === 'landed') return landedDiff(view, loop, loop.phase.commit);
  const found = await headOf(view, loop);
  if (found === null) return null;
  const others = [
    `refs/heads/${target}`,
    `refs/paralph/int/${target}`,
    ...loop.onto.flatMap((id) => branchOf(state, id)),
  ];
  const tips = await Promise.all(others.map((ref) => readRef(view, ref)));
  const base = await forkPoint(
    view,
    found.head,
    tips.filter((tip) => tip !== null),
  );
  return { base: base ?? loop.base ?? found.head, ...found };
}

function branchOf(state: State, id: Loop['id']): readonly string[] {
  const below = state.loops[id];
  return below === undefined ? [] : [`refs/heads/${below.branch}`];
}

/** The branch, or what was kept of it, or where the log saw it last. */
async function headOf(view: GitView, loop: Loop): Promise<Pick<LoopDiff, 'head' | 'from'> | null> {
  const tip = await readRef(view, `refs/heads/${loop.branch}`);
  if (tip !== null) return { head: tip, from: 'branch' };
  const keep = (await listKeeps(view)).find((one) => (one.loop ?? one.name) === loop.id);
  const kept = keep === undefined ? null : (keep.tip ?? keep.head);
  if (kept !== null && (await isThere(view, kept))) return { head: kept, from: 'keep' };
  return loop.head !== null && (await isThere(view, loop.head)) ? { head: loop.head, from: 'log' } : null;
}

/** Main holds it by now: it left main where the commit before its landing did. */
async function landedDiff(view: GitView, { head, base }: Loop, commit: Sha): Promise<LoopDiff | null> {
  const before = await parentOf(view, commit);
  if (before === null) return null;
  if (head === null || !(await isThere(view, head))) return { base: before, head: commit, from: 'landing' };
  const fork = await forkPoint(view, head, [before]);
  // Somebody had merged it by hand before.
  const isElsewhere = fork === null || fork === head;
  return { base: isElsewhere ? (base ?? before) : fork, head, from: 'landing' };
}

/** Where a commit left all the others, taken as one. */
async function forkPoint(view: GitView, head: Sha, others: readonly Sha[]): Promise<Sha | null> {
  if (others.length === 0) return null;
  const { stdout } = await view.run(['merge-base', head, ...others], { ok: [0, 1] });
  const [found = ''] = stdout.split('\n');
  return found === '' ? null : sha(found);
}

async function parentOf(view: GitView, commit: Sha): Promise<Sha | null> {
  const { code, stdout } = await view.run(['rev-parse', '-q', '--verify', `${commit}^1`], { ok: [0, 1, 128] });
  return code === 0 ? sha(stdout.trim()) : null;
}

const isThere = async (view: GitView, commit: Sha): Promise<boolean> =>
  (await view.run(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128] })).code === 0;

/** As git shows differences; no program of anybody's takes part, whatever attributes or settings say. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'];

export const isSame = async (view: GitView, from: Sha, to: Sha): Promise<boolean> =>
  (await view.run([...DIFF, '--quiet', from, to, '--'], { ok: [0, 1] })).code === 0;

export const diffStat = async (view: GitView, from: Sha, to: Sha): Promise<string> =>
  (await view.run([...DIFF, '--stat', from, to, '--'])).stdout;

/** What a loop made of some files. */
export async function diffOf(
  view: GitView,
  { base, head }: Pick<LoopDiff, 'base' | 'head'>,
  paths: readonly string[],
): Promise<string> {
  const specs = paths.map((path) => `:(literal)${path}`);
  return (await view.run([...DIFF, '--patch', base, head, '--', ...specs])).stdout;
}

/** However large it is: what an agent made may hold a database. */
export const writeDiff =
  (view: GitView, from: Sha, to: Sha, how: 'patch' | 'stat'): Write =>
  async (sink) =>
    void (await view.bytes([...DIFF, `--${how}`, from, to, '--'], { sink }));

const COMMITS_AT_ONCE = 500;
const SHORTSTAT = /(\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?/;

/** How much each commit brought onto the branch it is on; one that is not there any more is left out. */
export async function sizesOf(
  view: GitView,
  commits: readonly string[],
): Promise<ReadonlyMap<string, { readonly files: number; readonly added: number; readonly removed: number }>> {
  const sizes = new Map<string, { readonly files: number; readonly added: number; readonly removed: number }>();
  const how = [
    '--no-walk=unsorted',
    '--ignore-missing',
    '--diff-merges=first-parent',
    '--shortstat',
    '--format=%x00%H',
  ];
  for (let at = 0; at < commits.length; at += COMMITS_AT_ONCE) {
    const { stdout } = await view.run(['log', ...how, ...commits.slice(at, at + COMMITS_AT_ONCE), '--']);
    for (const part of stdout.split('\0').slice(1)) {
      const [, files = 0, added = 0, removed = 0] = SHORTSTAT.exec(part) ?? [];
      const [name = ''] = part.split('\n');
      sizes.set(name, { files: Number(files), added: Number(added), removed: Number(removed) });
    }
  }
  return sizes;
}
