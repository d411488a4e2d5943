import { sha } from '../../../core/model/ids.ts';
import type { LoopId, Sha } from '../../../core/model/ids.ts';
import { CO_AUTHOR_TRAILER, HEAD_TRAILER, LOOP_TRAILER, coAuthors } from '../../../text/commit-message.ts';
import type { GitView } from '../run/view.ts';

/** Subjects of the commits that `to` has and `from` has not, newest first. */
export async function logSubjects(view: GitView, from: Sha, to: Sha, max: number): Promise<string[]> {
  const log = await view.run(['log', '-z', `--max-count=${max}`, '--format=%s', `${from}..${to}`, '--']);
  return log.stdout.split('\0').filter((subject) => subject !== '');
}

/** What one commit has and another has not, oldest first, a line for each. */
export async function commitLines(
  view: GitView,
  { from, to }: { readonly from: Sha; readonly to: Sha },
  max: number,
): Promise<readonly string[]> {
  const { stdout } = await view.run(['log', `--max-count=${max}`, '--format=%h %s', `${from}..${to}`, '--']);
  return stdout.trimEnd().split('\n').reverse();
}

/** What a person sees of a change: one line per file and a sum; empty when nothing differs. */
export async function diffStat(view: GitView, from: Sha, to: Sha): Promise<string> {
  const diff = await view.run(['diff', '--stat=100', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--']);
  return diff.stdout.trimEnd();
}

const CO_AUTHORED_MAX = 500;

/** Whom the commits that `to` has and `from` has not name as co-authors, each mail once. */
export async function coAuthorsOf(view: GitView, from: Sha, to: Sha): Promise<readonly string[]> {
  const format = `--format=%(trailers:key=${CO_AUTHOR_TRAILER},valueonly,unfold)`;
  const narrow = ['--regexp-ignore-case', '--fixed-strings', `--grep=${CO_AUTHOR_TRAILER}:`];
  const log = await view.run(['log', `--max-count=${CO_AUTHORED_MAX}`, format, ...narrow, `${from}..${to}`, '--']);
  return coAuthors(log.stdout.split('\n').filter((line) => line !== ''));
}

const WITHIN_MAX = 20_000;

/** Which of these commits `to` has and `from` has not; of an enormous history the newest part is looked at. */
export async function commitsWithin(
  view: GitView,
  { from, to }: { readonly from: Sha; readonly to: Sha },
  sought: readonly Sha[],
): Promise<readonly Sha[]> {
  if (sought.length === 0 || from === to) return [];
  const listed = await view.run(['rev-list', `--max-count=${WITHIN_MAX}`, to, `^${from}`, '--']);
  const found = new Set(listed.stdout.split('\n'));
  return sought.filter((commit) => found.has(commit));
}

export interface LandingSought {
  readonly ref: string | Sha;
  /** Where the search may stop: nothing older can be the landing. */
  readonly since: Sha | null;
  readonly loop: LoopId;
  /** The branch as it landed: a later head of the same loop has not. */
  readonly head: Sha;
}

/** The commit by which a loop landed, seen along the target's own line: what an agent wrote into its commits is not on it. */
export async function findLanding(view: GitView, sought: LandingSought): Promise<Sha | null> {
  const range = sought.since === null ? sought.ref : `${sought.since}..${sought.ref}`;
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x01)`;
  const format = `--format=%H%x00${trailer(LOOP_TRAILER)}%x00${trailer(HEAD_TRAILER)}%x00`;
  const narrow = ['--fixed-strings', `--grep=${LOOP_TRAILER}: ${sought.loop}`];
  const log = await view.run(['log', '--first-parent', format, ...narrow, range, '--']);
  for (const record of log.stdout.split('\0\n')) {
    const [commit = '', loops = '', heads = ''] = record.split('\0');
    if (loops.split('\x01').includes(sought.loop) && heads.split('\x01').includes(sought.head)) return sha(commit);
  }
  return null;
}
