import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';

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
 * wrong before, no landing takes back or adds anything else.
 */
export async function assertEnvelope(view: GitView, envelope: Envelope): Promise<void> {
  const [error] = await violations(view, [envelope]);
  if (error !== undefined) throw error;
}

/** The same for many in one process; says which are violated, and how. */
export async function checkEnvelopes(
  view: GitView,
  envelopes: readonly Envelope[],
): Promise<readonly { readonly commit: Sha; readonly why: string }[]> {
  const found = await violations(view, envelopes);
  return found.map(({ commit, message, facts }) => ({ commit, why: [message, ...facts].join(' ') }));
}

interface Touched {
  readonly byBranch: Set<string>;
  readonly byLanding: Set<string>;
}

async function violations(view: GitView, envelopes: readonly Envelope[]): Promise<readonly EnvelopeError[]> {
  if (envelopes.length === 0) return [];
  const touched = await readTouched(view, envelopes);
  const errors: EnvelopeError[] = [];
  for (const [index, envelope] of envelopes.entries()) {
    const { byBranch = new Set<string>(), byLanding = new Set<string>() } = touched[index] ?? {};
    for (const path of envelope.besides) byBranch.add(Buffer.from(path, 'utf8').toString('latin1'));
    const outside = [...byLanding].filter((path) => !byBranch.has(path));
    if (outside.length === 0) continue;
    const followed = await renamedSince(view, envelope.ancestors, envelope.base, byBranch);
    const left = outside.filter((path) => !followed.has(path));
    if (left.length > 0) errors.push(violated(envelope, left));
  }
  return errors;
}

/** Names are bytes, read as latin1. Git answers pair by pair, in order, and says nothing where nothing differs. */
async function readTouched(view: GitView, envelopes: readonly Envelope[]): Promise<readonly Touched[]> {
  const touched = envelopes.map((): Touched => ({ byBranch: new Set(), byLanding: new Set() }));
  const pairs = envelopes.flatMap(({ head, ancestors, commit, base }, index) => [
    ...ancestors.map((ancestor) => ({ of: head, from: ancestor, names: touched[index]?.byBranch })),
    { of: commit, from: base, names: touched[index]?.byLanding },
  ]);
  const args = ['diff-tree', '--stdin', '-r', '-z', '--name-status', '--no-renames'];
  const listed = await view.bytes(args, { input: pairs.map(({ of, from }) => `${of} ${from}\n`).join('') });
  let names: Set<string> | undefined;
  let next = 0;
  const fields = fieldsOf(listed.stdout);
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    // A letter comes before each name, so an id by itself begins the answer to another pair.
    if (field.length > 1) {
      while (next < pairs.length && pairs[next]?.of !== field) next += 1;
      names = pairs[next]?.names;
      next += 1;
      continue;
    }
    at += 1;
    names?.add(fields[at] ?? '');
  }
  return touched;
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

interface EnvelopeError extends AppError {
  readonly commit: Sha;
}

function violated({ base, head, commit }: Envelope, paths: readonly string[]): EnvelopeError {
  const names = paths.map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  const error = new AppError('E_ENVELOPE', `landing ${head} would change files that it did not touch`, {
    remedy: `git diff --stat ${base} ${commit}`,
    facts: [
      ...names.slice(0, PATHS_SHOWN),
      ...(names.length > PATHS_SHOWN ? [`and ${names.length - PATHS_SHOWN} more`] : []),
    ],
  });
  return Object.assign(error, { commit });
}
