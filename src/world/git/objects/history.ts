import { sha, loopId, taskId } from '../../../core/model/ids.ts';
import type { LoopId, Sha } from '../../../core/model/ids.ts';
import {
  CO_AUTHOR_TRAILER,
  HEAD_TRAILER,
  LOOP_TRAILER,
  coAuthors,
  TASK_TRAILER,
  TRACKER_TRAILER,
} from '../../../text/commit-message.ts';
import { readLooseObject } from './loose-objects.ts';
import { AppError } from '../../../core/model/errors.ts';
import type { GitView } from '../run/view.ts';
import type { FoundLanding } from '../../contract/world.ts';

/**
 * Which of the commits are in the history of none of the heads; asked all at once. One that git lacks is in nobody's, and as a
 * head it holds nothing: what vanished of one loop must not keep the others from an answer.
 */
export async function notWithin(
  view: GitView,
  commits: readonly Sha[],
  heads: readonly Sha[],
): Promise<ReadonlySet<Sha>> {
  const asked = [...new Set(commits)];
  if (asked.length === 0) return new Set();
  try {
    return await listOutside(view, asked, heads);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    return outsideOfWhatIsThere(view, asked, heads);
  }
}

async function listOutside(view: GitView, commits: readonly Sha[], heads: readonly Sha[]): Promise<ReadonlySet<Sha>> {
  const input = [...commits, ...heads.map((head) => `^${head}`)].map((line) => `${line}\n`).join('');
  const listed = new Set((await view.run(['rev-list', '--stdin'], { input })).stdout.split('\n'));
  return new Set(commits.filter((commit) => listed.has(commit)));
}

/** One by one: a history with a hole in it fails by itself, and counts as held by nobody. */
async function outsideOfWhatIsThere(
  view: GitView,
  commits: readonly Sha[],
  heads: readonly Sha[],
): Promise<ReadonlySet<Sha>> {
  const there = await commitsThere(view, [...commits, ...heads]);
  const held = heads.filter((head) => there.has(head));
  const outside = new Set<Sha>();
  for (const commit of commits) {
    const isOutside = async (): Promise<boolean> => (await listOutside(view, [commit], held)).has(commit);
    if (!there.has(commit) || (await isOutside().catch(() => true))) outside.add(commit);
  }
  return outside;
}

/** Those of the ids that are commits git has. */
export async function commitsThere(view: GitView, ids: readonly Sha[]): Promise<ReadonlySet<Sha>> {
  const input = ids.map((id) => `${id}\n`).join('');
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  return new Set(stdout.split('\n').flatMap((line) => (line.endsWith(' commit') ? sha(line.split(' ')[0] ?? '') : [])));
}

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

interface LandingSought {
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

/** What landed lately lies by itself; whoever looks further back may as well start git. */
const STEPS_MAX = 32;

/** Whether the first parents of a commit lead to another one, as far as that can be told without a process. False: only git can tell. */
export function leadsBack(view: GitView, from: string, to: string): boolean {
  let at: string | undefined = from;
  for (let step = 0; step < STEPS_MAX && at !== undefined; step += 1) {
    if (at === to) return true;
    const found = readLooseObject(view, at);
    const text = found?.type === 'commit' ? found.content.toString('latin1') : '';
    at = /^tree [0-9a-f]+\nparent ([0-9a-f]+)\n/.exec(text)?.[1];
  }
  return false;
}

const COMMITS_MAX = 5000;
const trailer = (key: string): string => `%(trailers:key=${key},valueonly,unfold,separator=%x01)`;
const FORMAT = ['%H', '%ct', trailer(TASK_TRAILER), trailer(LOOP_TRAILER), trailer(TRACKER_TRAILER)].join('%x00');

/**
 * What integration's history says landed, oldest first, without what `since` holds already. Only along its own line: what an
 * agent wrote into the commits of its branch is on the other side of a merge.
 */
export const findLandings = (
  view: GitView,
  integration: Sha,
  since: readonly Sha[] = [],
): Promise<readonly FoundLanding[]> => listLandings(view, integration, ['--first-parent'], since);

/** The same on every line, for landings of other clones that were merged in. */
export const findAllLandings = (view: GitView, head: Sha, since: readonly Sha[]): Promise<readonly FoundLanding[]> =>
  listLandings(view, head, ['--ignore-missing'], since);

async function listLandings(
  view: GitView,
  integration: Sha,
  flags: readonly string[],
  since: readonly Sha[],
): Promise<readonly FoundLanding[]> {
  const args = [
    'log',
    '-z',
    ...flags,
    `--max-count=${COMMITS_MAX}`,
    `--format=${FORMAT}%x00`,
    integration,
    ...since.map((commit) => `^${commit}`),
    '--',
  ];
  const { stdout } = await view.run(args);
  const found: FoundLanding[] = [];
  // Each record ends with two: ours, and the one that git puts between commits.
  const fields = stdout.split('\0');
  for (let at = 0; at + 5 < fields.length; at += 6) {
    const [commit = '', seconds = '', task = '', loop = '', tracker = ''] = fields.slice(at, at + 5);
    // Ours have one of each; a message with two was written by somebody else.
    if (!isOne(task) || !isOne(loop) || !isOne(tracker)) continue;
    found.push({
      task: taskId(task),
      tracker,
      loop: loopId(loop),
      commit: sha(commit),
      atMs: Number(seconds) * 1000,
    });
  }
  return found.toReversed();
}

const isOne = (values: string): boolean => values !== '' && !values.includes('\u0001');
