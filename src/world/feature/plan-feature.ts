import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve, sep } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { type Sha, sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { featureName, newBranchName } from '../../text/feature/feature-name.ts';
import { fillBranch, fillPath } from '../../text/feature/feature-template.ts';
import { shortLine } from '../../text/screen/clean.ts';
import { type Flags, retype } from '../../text/start/retype.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf, gitDirs, realpathLoose, worktreeOf } from '../git/files/worktree-admin.ts';
import { type Worktree, branchTip, isEmptyFolder, listWorktrees } from '../worktrees/worktrees.ts';
import { readFeatureNote } from '../worktrees/feature-note.ts';
import type { FeatureOrder } from './make-feature.ts';

/** Of every file system there is. */
const FOLDER_BYTES_MAX = 255;
const SHOWN_CHARS = 200;

export interface FeaturePlan {
  readonly name: string;
  /** Absolute, links followed. */
  readonly path: string;
  readonly branch: string;
  /** Where the branch is, or will begin. */
  readonly base: Sha;
  readonly createsBranch: boolean;
  /** Git's entry of the worktree that stands there on that branch already. */
  readonly existing: Worktree | null;
  /** What the base is called, to say it. */
  readonly from: string;
}

/**
 * Where a feature goes, for who is about to wait for that place. Refuses nothing for what stands there: somebody may be amid
 * making the very same, and git's list and the folder are not read at one moment.
 */
export async function placeFeature(repo: Repository, order: FeatureOrder): Promise<string> {
  const wanted = await wantedBy(repo, order);
  const on = (await listWorktrees(repo)).slice(1).find((one) => one.branch === wanted.branch);
  return on !== undefined && isWanted(repo, order, wanted, on) ? realpathLoose(on.path) : wanted.path;
}

/** Settles where a feature goes and what it begins with, and refuses what is in the way. Changes nothing. Whoever calls it holds the place. */
export async function planFeature(
  repo: Repository,
  order: FeatureOrder,
  target: { readonly target: string; readonly targetSha: Sha },
): Promise<FeaturePlan> {
  const wanted = await wantedBy(repo, order);
  const { name, branch, tip, isLink } = wanted;
  const worktrees = await listWorktrees(repo);
  const existing = standing(repo, order, wanted, worktrees);
  const path = existing === null ? wanted.path : realpathLoose(existing.path);
  const start = await startOf(repo, order, branch, tip, target);
  if (existing === null) {
    if (order.base !== null && tip !== null && tip !== start.base) throw branchThere(order, branch, tip);
    refuseNamesake(repo, order);
    refuseTaken(order, { path, isLink }, worktrees);
  }
  const from = tip === null ? start.from : branch;
  return { name, path, branch, existing, createsBranch: tip === null, base: tip ?? start.base, from };
}

interface Wanted extends Place {
  readonly name: string;
  readonly branch: string;
  /** Where the branch is; null: there is none. */
  readonly tip: Sha | null;
}

/** What was asked for, by the settings, and refused if it cannot be anywhere. */
async function wantedBy(repo: Repository, order: FeatureOrder): Promise<Wanted> {
  const name = featureName(order.name);
  const project = basename(repo.root);
  const branch = order.branch ?? fillBranch(order.settings.branch, { name, repo: project });
  await requireBranchName(repo, order, branch);
  const tip = await branchTip(repo, branch);
  if (tip === null) {
    newBranchName(branch, (other) => again(order, { '--branch': other }));
    await refuseBranchInTheWay(repo, order, branch);
  }
  const template = order.path ?? fillPath(order.settings.path, { name, repo: project, branch });
  return { name, branch, tip, ...placeOf(repo, order, template) };
}

interface Place {
  readonly path: string;
  /** A link stands where the folder would: whoever put it there chose where the files go. */
  readonly isLink: boolean;
}

/** Before it is looked up: a name that git would not take may lead to any file. */
async function requireBranchName(repo: Repository, order: FeatureOrder, branch: string): Promise<void> {
  const isText = branch !== '' && branch !== 'HEAD' && !/^-|\p{Cc}/u.test(branch);
  const args = ['check-ref-format', `refs/heads/${branch}`];
  const check = isText ? await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 1, 128, 129] }) : null;
  if (check?.code === 0) return;
  newBranchName(branch, (other) => again(order, { '--branch': other }));
  throw new AppError('E_NAME', `git takes no branch named ${JSON.stringify(shortLine(branch, 60))}`, {
    remedy: 'git check-ref-format --branch NAME',
  });
}

/** What was typed, with what is to be said differently. */
const again = ({ name, typed }: FeatureOrder, flags: Flags): string =>
  retype(typed ?? ['worktree', 'new', name], flags);

/** Git keeps branches like files: where one is called `a` there is none called `a/b`. */
async function refuseBranchInTheWay(repo: Repository, order: FeatureOrder, branch: string): Promise<void> {
  const parts = branch.split('/');
  const above = parts.slice(1).map((_, at) => `refs/heads/${parts.slice(0, at + 1).join('/')}`);
  const args = ['for-each-ref', '--format=%(refname:lstrip=2)', ...above, `refs/heads/${branch}/`];
  const { stdout } = await runGit([...HARDENED, ...args], { cwd: repo.commonDir });
  // Git lists everything below each of them too.
  const other = stdout.split('\n').find((one) => one !== '' && (isBelow(one, branch) || isBelow(branch, one)));
  if (other === undefined) return;
  throw new AppError('E_NEEDS_PERSON', `git cannot have a branch ${branch} beside ${other}`, {
    remedy: again(order, { '--branch': `${branch.replaceAll('/', '-')}-2` }),
  });
}

const isBelow = (folder: string, branch: string): boolean => branch.startsWith(`${folder}/`);

function placeOf(repo: Repository, order: FeatureOrder, template: string): Place {
  const { env, name } = order;
  // Whoever gave a folder has no fault in the settings.
  const remedy =
    order.path === null
      ? `ralph config set worktree.path '~/worktrees/<name>'`
      : again(order, { '--path': `${repo.root}-${name.replaceAll('/', '-')}` });
  const isLong = template.split('/').some((part) => Buffer.byteLength(part) > FOLDER_BYTES_MAX);
  if (template.trim() === '' || /\p{Cc}/u.test(template) || isLong)
    throw new AppError(
      'E_NAME',
      `${JSON.stringify(shortLine(template, SHOWN_CHARS))} cannot be the folder of a worktree${isLong ? ': it is too long' : ''}`,
      { remedy },
    );
  const home = env['HOME'] === undefined || env['HOME'] === '' ? homedir() : env['HOME'];
  const named = resolve(
    repo.root,
    template.replace(/^~(?=\/|$)/, () => home),
  );
  const path = realpathLoose(named);
  const holds = (folder: string, inner: string): boolean => inner === folder || inner.startsWith(folder + sep);
  const [root, common] = [realpathLoose(repo.root), realpathLoose(repo.commonDir)];
  if (holds(path, root) || holds(common, path))
    throw new AppError('E_NAME', `${path} belongs to the repository itself, so no worktree can be there`, { remedy });
  return { path, isLink: lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() === true };
}

/** The worktree that is wanted, if it is there. */
function standing(
  repo: Repository,
  order: FeatureOrder,
  wanted: Wanted,
  worktrees: readonly Worktree[],
): Worktree | null {
  const [main, ...linked] = worktrees;
  const on = worktrees.find((one) => one.branch === wanted.branch);
  if (on === undefined) return null;
  if (linked.includes(on) && isWanted(repo, order, wanted, on)) return on;
  if (on !== main && !existsSync(on.path)) return missing(repo, on);
  throw new AppError('E_NEEDS_PERSON', `the branch ${wanted.branch} is checked out at ${on.path}`, {
    remedy: `cd ${shellWord(on.path)}`,
  });
}

/** One that was moved is still the same. */
function isWanted(
  repo: Repository,
  { path: given }: FeatureOrder,
  { name, path }: Wanted,
  { path: at }: Worktree,
): boolean {
  if (!existsSync(at)) return false;
  if (realpathLoose(at) === path) return true;
  const adminDir = adminDirOf(repo, at);
  return given === null && adminDir !== null && readFeatureNote(adminDir)?.name === name;
}

function missing(repo: Repository, { path }: Worktree): never {
  throw new AppError('E_NEEDS_PERSON', `git has a worktree at ${path} whose folder is missing; it may come back`, {
    remedy: `git -C ${shellWord(repo.root)} worktree remove -f -f ${shellWord(path)}`,
  });
}

/** Two of one name could not be told apart afterwards. */
function refuseNamesake(repo: Repository, { name, typed }: FeatureOrder): void {
  const other = gitDirs(repo).find((dir) => readFeatureNote(dir)?.name === name);
  const path = other === undefined ? null : worktreeOf(other);
  if (path === null || !existsSync(path)) return;
  throw new AppError('E_NEEDS_PERSON', `${name} is the worktree at ${path} already`, {
    remedy: retype(renamed(typed ?? [], name, `${name}-2`) ?? ['worktree', 'new', `${name}-2`], {}),
  });
}

/** The first word is the command, whatever the feature is called. */
function renamed(typed: readonly string[], from: string, to: string): readonly string[] | null {
  const at = typed.findIndex((word, place) => place > 0 && word.normalize('NFC') === from);
  return at === -1 ? null : typed.with(at, to);
}

function refuseTaken(order: FeatureOrder, { path, isLink }: Place, worktrees: readonly Worktree[]): void {
  const { path: given } = order;
  const elsewhere = again(order, { '--path': `${path}-2` });
  if (isLink)
    throw new AppError('E_NEEDS_PERSON', `a link leads to ${path}, so no worktree is made there`, {
      remedy: elsewhere,
    });
  const inside = worktrees.slice(1).find((one) => path.startsWith(realpathLoose(one.path) + sep));
  if (inside !== undefined)
    throw new AppError('E_NEEDS_PERSON', `${path} lies inside another worktree, ${inside.path}`, { remedy: elsewhere });
  const there = worktrees.find((one) => realpathLoose(one.path) === path);
  if (there !== undefined && existsSync(path))
    throw new AppError('E_NEEDS_PERSON', `${path} is a worktree already, on ${there.branch ?? 'no branch'}`, {
      remedy: given === null ? elsewhere : `git -C ${shellWord(path)} status`,
    });
  if (existsSync(path) && !isEmptyFolder(path))
    throw new AppError('E_NEEDS_PERSON', `${path} is there already and not empty`, { remedy: elsewhere });
}

const branchThere = (order: FeatureOrder, branch: string, tip: Sha): AppError =>
  new AppError('E_NEEDS_PERSON', `the branch ${branch} exists, at ${tip.slice(0, 12)}, and is never moved`, {
    facts: ['without --from it is checked out as it is'],
    remedy: again(order, { '--from': null, '--branch': branch }),
  });

/** What was asked for; else the branch as the remote has it; else where work lands. */
async function startOf(
  repo: Repository,
  order: FeatureOrder,
  branch: string,
  tip: Sha | null,
  { target, targetSha }: { readonly target: string; readonly targetSha: Sha },
): Promise<{ readonly base: Sha; readonly from: string }> {
  if (order.base !== null) return { base: await commitCalled(repo, order.base), from: order.base };
  if (tip !== null) return { base: tip, from: branch };
  const remote = await commitOf(repo, `refs/remotes/origin/${branch}`);
  return remote === null ? { base: targetSha, from: target } : { base: remote, from: `origin/${branch}` };
}

async function commitCalled(repo: Repository, name: string): Promise<Sha> {
  const found = /\p{Cc}/u.test(name) || name === '' ? null : await commitOf(repo, name);
  if (found !== null) return found;
  throw new AppError('E_NAME', `no commit is called ${JSON.stringify(shortLine(name, 60))}`, {
    remedy: `git -C ${shellWord(repo.root)} branch --all`,
  });
}

async function commitOf(repo: Repository, name: string): Promise<Sha | null> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
  const { code, stdout } = await runGit([...HARDENED, ...args], { cwd: repo.worktree, ok: [0, 1, 128] });
  return code === 0 ? sha(stdout.trim()) : null;
}

/** Where a relative folder counts from when a person gives one. */
export const fromFolder = (cwd: string, path: string): string =>
  path.trim() === '' || /^~(?:\/|$)/.test(path) ? path : resolve(cwd, path);
