import { lstatSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { isOutside } from '../../core/model/tasks.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { isBeadsLines, TRACKER_NAMES, trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { lookUpRef } from '../git/refs/look-up-ref.ts';
import type { Repository } from '../git/run/repository.ts';
import { ifThere } from '../os/read-if-there.ts';
import { filesOfOldBeads, isOldBeads } from './old-beads.ts';
import { branchIn } from './target-place.ts';
import type { TargetPlace } from './target-place.ts';
import type { TargetTree } from './target-tree.ts';
import { leadsOut } from './task-text.ts';

export interface TaskPlace {
  readonly repo: Repository;
  /** Null: there is none yet, and the checkout's files count. */
  readonly target: TargetPlace | null;
}

/** Makes a task file to begin with. */
export const FIRST_TASK = `printf -- '## Tasks\\n\\n- [ ] First task\\n' > PRD.md`;

/** The task file to work on: the one named, else the first known name that the target has. Relative to the checkout. */
export async function findTracker(place: TaskPlace, named: string | null): Promise<string> {
  const found = await findTrackerOrNull(place, named);
  if (found !== null) return found;
  const { repo, target } = place;
  const where = target === null || target.checkout === repo.root ? `in ${repo.root}` : `on ${target.branch}`;
  const [other] = TRACKER_NAMES.filter((name) => isFile(join(repo.root, name)));
  throw new AppError('E_NO_TASKS', `no task file ${where}`, {
    facts: [
      ...(other === undefined || target === null ? [] : [ofOther(place.repo, other, target.branch)]),
      `looked for ${TRACKER_NAMES.join(', ')}`,
      'one loop needs no task file: ralph run "what should be done"',
    ],
    remedy: FIRST_TASK,
  });
}

/** Whose a file is that does not count. */
function ofOther(repo: Repository, path: string, target: string): string {
  const branch = branchIn(repo, repo.root);
  if (branch === null) return `${path} in this checkout is not on ${target}`;
  return `${path} is on ${branch} and not on ${target}: commit it there, or --target ${shellWord(branch)}`;
}

/** The same; null where none is named and none is there. */
export async function findTrackerOrNull(place: TaskPlace, named: string | null): Promise<string | null> {
  const has = lookFor(place);
  if (named !== null) return namedTracker(place, named, has);
  for (const name of TRACKER_NAMES) if (await has(name)) return name;
  return null;
}

/** What whoever named no task file should know: another one would be found by name, too, and does not count. */
export async function otherTrackers(place: TaskPlace, named: string | null, found: string): Promise<readonly string[]> {
  if (named !== null || isOutside(found)) return [];
  const has = lookFor(place);
  const root = place.target?.checkout ?? place.repo.root;
  const others: string[] = [];
  for (const name of TRACKER_NAMES)
    if (name !== found && !isSameFile(join(root, name), join(root, found)) && (await has(name))) others.push(name);
  const [other] = others;
  if (other === undefined) return [];
  return [
    `${found} is the task file; ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} there too and ${others.length === 1 ? 'does' : 'do'} not count. Choose: --tasks ${shellWord(other)}`,
  ];
}

/** Where case does not count, one file has several names. */
function isSameFile(one: string, two: string): boolean {
  const [a, b] = [one, two].map((file) => ifThere(() => lstatSync(file, { throwIfNoEntry: false })));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

type Has = (path: string) => Promise<boolean>;

async function namedTracker({ repo, target }: TaskPlace, named: string, has: Has): Promise<string> {
  const { root } = repo;
  const path = relative(root, resolve(root, named));
  if (trackerKindOf(path) === null && !isBeadsLines(path))
    throw new AppError('E_TASKS', `${named}: not a kind of task file that is known`, {
      facts: ['known: .md, .json, .yaml, .yml, .jsonl'],
      remedy: 'ralph run --tasks PRD.md',
    });
  if (await has(path)) return path;
  const isHere = target !== null && isFile(join(root, path));
  throw new AppError('E_NO_TASKS', isHere ? `${named}: not on ${target.branch}` : `${named}: no such file`, {
    facts: isHere ? [ofOther(repo, path, target.branch)] : [],
    remedy: 'ralph run --tasks PRD.md',
  });
}

/** Whether a file is one of the target's: in its checkout, in what landed, or in no branch at all. */
function lookFor({ repo, target }: TaskPlace): Has {
  if (target === null) return (path) => Promise.resolve(isFile(join(repo.root, path)));
  const { checkout, head, branch } = target;
  let tree: TargetTree | null = null;
  return async (path) => {
    const onDisk = isFile(join(checkout ?? repo.root, path));
    if (leadsOut(path) || (checkout !== null && onDisk)) return onDisk;
    const integration = await lookUpRef(repo, `refs/paralph/int/${branch}`).catch(() => null);
    if (checkout !== null && (integration === null || integration === head)) return false;
    const { isTracked, openTargetTree } = await import('./target-tree.ts');
    tree ??= openTargetTree(repo);
    if (integration !== null && (await tree.has(integration, path))) return true;
    if (checkout !== null) return false;
    return (await tree.has(head, path)) || (onDisk && !(await isTracked(repo.root, path)));
  };
}

const isFile = (file: string): boolean =>
  isOldBeads(file)
    ? filesOfOldBeads(file).length > 0
    : ifThere(() => lstatSync(file, { throwIfNoEntry: false })) !== undefined;
