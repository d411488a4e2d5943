import { AppError } from '../core/errors.ts';
import type { Sha } from '../core/ids.ts';
import type { GitView } from './git/view.ts';

export interface Envelope {
  readonly base: Sha;
  readonly head: Sha;
  /** Every best common ancestor of the two. */
  readonly ancestors: readonly Sha[];
  /** What was made of them. */
  readonly commit: Sha;
  /** Paths that may differ although the branch did not touch them. */
  readonly besides: readonly string[];
}

const RENAMES_MAX = 7000;
const PATHS_SHOWN = 10;

/**
 * Throws unless all that differs between the base and the commit is something the branch itself changed: whatever went
 * wrong before, no landing takes back or adds anything else. Names are bytes, read as latin1.
 */
export async function assertEnvelope(view: GitView, envelope: Envelope): Promise<void> {
  const { base, head, ancestors, commit } = envelope;
  // A commit and, after it, what to compare it with. No tree holds a file that is named as its own commit.
  const pairs = [...ancestors.map((ancestor) => [head, ancestor]), [commit, base]];
  const args = ['diff-tree', '--stdin', '-r', '-z', '--name-only', '--no-renames'];
  const listed = await view.bytes(args, { input: pairs.map((pair) => `${pair.join(' ')}\n`).join('') });
  const touched = new Set(envelope.besides.map((path) => Buffer.from(path, 'utf8').toString('latin1')));
  const changed: string[] = [];
  let isOfCommit = false;
  for (const name of fieldsOf(listed.stdout)) {
    if (name === commit || name === head) isOfCommit = name === commit;
    else if (isOfCommit) changed.push(name);
    else touched.add(name);
  }
  const outside = changed.filter((path) => !touched.has(path));
  if (outside.length === 0) return;
  const followed = await renamedSince(view, ancestors, base, touched);
  const left = outside.filter((path) => !followed.has(path));
  if (left.length > 0) throw violated(envelope, left);
}

/** Where the files went that the branch changed under their old names. */
async function renamedSince(
  view: GitView,
  ancestors: readonly Sha[],
  base: Sha,
  touched: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const followed = new Set<string>();
  for (const ancestor of ancestors) {
    const args = [
      'diff-tree',
      '-r',
      '-z',
      '-M',
      `-l${RENAMES_MAX}`,
      '--diff-filter=R',
      '--name-status',
      ancestor,
      base,
    ];
    const fields = fieldsOf((await view.bytes(args)).stdout);
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [from, to] = [fields[at + 1] ?? '', fields[at + 2] ?? ''];
      if (touched.has(from)) followed.add(to);
    }
  }
  return followed;
}

function fieldsOf(stdout: Buffer): string[] {
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((field) => field !== '');
}

function violated({ base, head, commit }: Envelope, paths: readonly string[]): AppError {
  const names = paths.map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  return new AppError('E_ENVELOPE', `Landing ${head} would change files that it did not touch.`, {
    remedy: `git diff --stat ${base} ${commit}`,
    facts: [
      ...names.slice(0, PATHS_SHOWN),
      ...(names.length > PATHS_SHOWN ? [`and ${names.length - PATHS_SHOWN} more`] : []),
    ],
  });
}
