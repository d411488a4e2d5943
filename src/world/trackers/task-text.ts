import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { isResetFrom } from '../git/refs/past-values.ts';
import { lookUpRef } from '../git/refs/look-up-ref.ts';
import type { Repository } from '../git/run/repository.ts';
import { ifThere } from '../os/read-if-there.ts';
import { filesOfOldBeads, isOldBeads } from './old-beads.ts';
import { checkoutOn } from './target-place.ts';
import type { TargetTree } from './target-tree.ts';

const MB = 1024 * 1024;
const MB_MAX = 4;

/** Where the target is, and who stands on it. */
export interface Standing {
  readonly head: Sha | null;
  readonly integration: Sha | null;
  /** The checkout on the target; null: none. */
  readonly checkout: string | null;
}

/** The text that counts as the task list: what landed, with the edits of the checkout that stands on the target. */
export interface TaskText {
  /** Costs no process: hosts ask each second. */
  readonly stand: () => Promise<Standing>;
  /** The file in the checkout whose edits count, or the only one there is. */
  readonly fileIn: (standing: Standing) => string;
  readonly read: (standing: Standing) => Promise<string>;
  /** The version of a commit; null: it has none. */
  readonly at: (commit: Sha) => Promise<string | null>;
}

/** A file beside the repository is in nobody's history. */
export const leadsOut = (path: string): boolean => path === '..' || path.startsWith('../') || isAbsolute(path);

export function openTaskText(repo: Repository, target: string | null, path: string): TaskText {
  let opened: TargetTree | null = null;
  const tree = async (): Promise<TargetTree> => (opened ??= (await import('./target-tree.ts')).openTargetTree(repo));
  const place: TextPlace = { repo, target, path, tree };
  const isApart = target === null || leadsOut(path);
  return {
    stand: async () => (isApart ? { head: null, integration: null, checkout: null } : standOf(repo, target)),
    fileIn: ({ checkout }) => join(checkout ?? repo.root, path),
    read: (standing) => read(place, standing),
    at: async (commit) => (await tree()).textAt(commit, path),
  };
}

interface TextPlace {
  readonly repo: Repository;
  readonly target: string | null;
  readonly path: string;
  readonly tree: () => Promise<TargetTree>;
}

async function standOf(repo: Repository, target: string): Promise<Standing> {
  const head = await lookUpRef(repo, `refs/heads/${target}`);
  // What somebody made of the ref is put back soon.
  const integration = await lookUpRef(repo, `refs/paralph/int/${target}`).catch(() => null);
  // What its owner took back is no part of the list any more.
  const isReset =
    head !== integration && integration !== null && isResetFrom(repo, `refs/heads/${target}`, integration);
  return { head, integration: isReset ? head : integration, checkout: checkoutOn(repo, target) };
}

async function read(place: TextPlace, { head, integration, checkout }: Standing): Promise<string> {
  const { repo, path } = place;
  const onDisk = (): string => readPlainFile(join(checkout ?? repo.root, path), path);
  if (head === null) return onDisk();
  // The usual case: what landed is published, so that the checkout has it all.
  if (checkout !== null && (integration === null || integration === head)) return onDisk();
  const tree = await place.tree();
  const committed = await tree.textAt(head, path);
  const landed = integration === null ? null : await tree.textAt(integration, path);
  if (committed === null && landed === null) {
    if (checkout === null) await refuseOther(place);
    return onDisk();
  }
  const isHere = checkout !== null && (committed !== null || isThere(join(checkout, path)));
  const own = isHere ? asCommitted(onDisk(), committed) : committed;
  if (landed === null || integration === null || landed === committed) return own ?? '';
  return own === null ? landed : plusLanded(tree, path, { own, landed, head, integration });
}

/** What a person wrote since, and what landed since, both from where the two parted. */
async function plusLanded(
  { textAt, parting, merge }: TargetTree,
  path: string,
  { own, landed, head, integration }: { own: string; landed: string; head: Sha; integration: Sha },
): Promise<string> {
  const parted = await parting(integration, head);
  const base = (parted === null ? null : await textAt(parted, path)) ?? '';
  if (base === landed) return own;
  if (base === own) return landed;
  return (await merge(path, { base, ours: own, theirs: landed })) ?? own;
}

/** Line ends of a checkout are not an edit. */
function asCommitted(text: string, committed: string | null): string {
  return committed === null || committed.includes('\r') ? text : text.replaceAll('\r\n', '\n');
}

/** A file that only another branch has would bring that branch's tasks to the target. */
async function refuseOther({ repo, target, path }: TextPlace): Promise<void> {
  const { isTracked } = await import('./target-tree.ts');
  if (!isThere(join(repo.root, path)) || !(await isTracked(repo.root, path))) return;
  throw new AppError('E_NO_TASKS', `${path} is not on ${target ?? ''}, the branch to land on`, {
    facts: ['the one in this checkout belongs to the branch that is checked out'],
    remedy: `git switch ${shellWord(target ?? '')}`,
  });
}

const isThere = (file: string): boolean => ifThere(() => lstatSync(file, { throwIfNoEntry: false })) !== undefined;

/** Changes when the file does, as far as its folder tells. */
export function markOf(file: string): { readonly mark: string; readonly writtenMs: number | null } {
  const stat = ifThere(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
  if (stat === undefined) return { mark: 'absent', writtenMs: null };
  return { mark: `${stat.ino}:${stat.size}:${stat.mtimeNs}`, writtenMs: Number(stat.mtimeMs) };
}

/** No link, no pipe, no device, no giant: what a task file is replaced by must not be read or waited for. */
export function readPlainFile(file: string, shown: string): string {
  if (isOldBeads(file))
    return filesOfOldBeads(file)
      .map((one) => readPlainFile(one, join(dirname(shown), basename(one))))
      .join('\n');
  const unsafe = (what: string): AppError =>
    new AppError('E_TASKS_UNSAFE', `${shown} ${what}`, { remedy: `ls -l ${shellWord(shown)}` });
  const kind = ifThere(() => lstatSync(file, { throwIfNoEntry: false }));
  if (kind === undefined)
    throw new AppError('E_NO_TASKS', `${shown} is gone`, { remedy: `git checkout -- ${shellWord(shown)}` });
  if (!kind.isFile()) throw unsafe(kind.isSymbolicLink() ? 'is a symbolic link' : 'is not a plain file');
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unsafe('is not a plain file');
    if (stat.size > MB_MAX * MB)
      throw new AppError(
        'E_TASKS_UNSAFE',
        `${shown}:1:1 the file has ${Math.round(stat.size / MB)} MB; at most ${MB_MAX} MB are read`,
        { remedy: `ls -l ${shellWord(shown)}` },
      );
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
