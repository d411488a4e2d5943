import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findSettledBroken, remedyOf } from './broken-entries.ts';
import { plainView } from '../run/view.ts';
import { listRefs, readRef } from '../refs/refs.ts';
import { readFormat } from '../run/repository-format.ts';
import { runGit } from '../run/run-git.ts';
import { textIfThere } from '../../os/read-if-there.ts';
import { lookUpRef } from '../refs/look-up-ref.ts';
import { readHeadFile } from '../refs/ref-files.ts';
import { adminDirOf } from './worktree-admin.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';
import type { GitView } from '../run/view.ts';

interface Preflight extends Target {
  readonly gitVersion: string;
}

const INTEGRATIONS = 'refs/paralph/int/';

/** Checks that this repository can be worked on and finds the branch to land on. Changes nothing. */
export async function preflight(repo: Repository, target: string | null): Promise<Preflight> {
  refuseLineBreak(repo);
  await refuseBrokenEntries(repo);
  const gitVersion = await requireVersion();
  const format = await readFormat(repo);
  if (format.bare && !repo.linked) {
    throw new AppError('E_REPOSITORY_BROKEN', `${repo.commonDir} says it is bare, but there is a checkout beside it`, {
      remedy: `git config --file ${shellWord(join(repo.commonDir, 'config'))} core.bare false`,
    });
  }
  const view = plainView(repo);
  await requireRoom(view);
  const branch = await chooseTarget(repo, view, target);
  if (format.partial) await requireObjects(view, branch.target, branch.targetSha);
  return { gitVersion, ...branch };
}

/** An agent is told its folder by its environment, and who reads that goes by lines. */
function refuseLineBreak(repo: Repository): void {
  if (!/[\n\r]/.test(repo.root)) return;
  throw new AppError('E_REPOSITORY_UNSUPPORTED', 'there is a line break in the path of this checkout', {
    remedy: 'Move the checkout into a folder without one.',
    facts: [JSON.stringify(repo.root)],
  });
}

async function refuseBrokenEntries(repo: Repository): Promise<void> {
  const blocking = (await findSettledBroken(repo)).filter((entry) => entry.blocks);
  if (blocking.length === 0) return;
  throw new AppError('E_REPOSITORY_BROKEN', 'a half-made worktree entry keeps git from working in this repository', {
    remedy: blocking.map(remedyOf).join(' && '),
    facts: blocking.map((entry) => `${entry.path}: ${entry.why}`),
  });
}

/** git keeps branches as files and folders: beside one named like our folder, none of ours can be made. */
async function requireRoom(view: GitView): Promise<void> {
  if ((await readRef(view, `${HEADS}ralph`)) === null) return;
  throw new AppError('E_REPOSITORY_UNSUPPORTED', 'the branch ralph leaves no room for branches named ralph/…', {
    remedy: 'git branch -m ralph ralph-old',
  });
}

async function requireVersion(): Promise<string> {
  const answer = await runGit(['version'], { cwd: '/' });
  const [, version = '', major = '0', minor = '0'] = /((\d+)\.(\d+)\S*)/.exec(answer.stdout) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return version;
  throw new AppError('E_GIT_MISSING', `git ${version} is too old`, { remedy: 'Install git 2.38 or newer.' });
}

async function chooseTarget(repo: Repository, view: GitView, wanted: string | null): Promise<Target> {
  const found = await findTarget(repo, wanted);
  if (found !== null) return found;
  if (await hasCommits(repo)) throw await noTarget(view, wanted, currentBranch(repo));
  throw new AppError('E_NO_COMMITS', 'the repository has no commit to start from', {
    remedy: "git commit --allow-empty -m 'Start'",
  });
}

async function noTarget(view: GitView, wanted: string | null, checkedOut: string | null): Promise<AppError> {
  const branches = [...(await listRefs(view, HEADS)).keys()];
  const facts = [`branches: ${branches.map(withoutHeads).join(', ') || 'none'}`];
  if (wanted === null) {
    const where = checkedOut === null ? 'HEAD is detached, and there' : 'There';
    const message = `${where} is neither a main nor a master branch to land on`;
    // Whoever stands on a branch that was deleted has no commit to make it from.
    const known = await readRef(view, `${INTEGRATIONS}main`);
    const remedy = known === null ? 'git branch main' : `git branch main ${INTEGRATIONS}main`;
    return new AppError('E_NO_TARGET', message, { facts, remedy });
  }
  const name = withoutHeads(wanted);
  const check = await view.run(['check-ref-format', HEADS + name], { ok: [0, 1] });
  if (check.code !== 0 || name.startsWith('-'))
    return new AppError('E_NO_TARGET', `there is no branch ${JSON.stringify(name)}: git takes no such name`, {
      facts,
      remedy: 'git branch --list',
    });
  const remote = [await readRef(view, `refs/remotes/origin/${name}`), await readRef(view, `refs/remotes/${name}`)];
  const words =
    remote[1] !== null
      ? [name.slice(name.indexOf('/') + 1), name]
      : [name, ...(remote[0] === null ? [] : [`origin/${name}`])];
  const remedy = `git branch ${words.map(shellWord).join(' ')}`;
  return new AppError('E_NO_TARGET', `there is no branch ${name}`, { facts, remedy });
}

async function hasCommits(repo: Repository): Promise<boolean> {
  const head = await runGit(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { cwd: repo.root, ok: [0, 1, 128] });
  if (head.code === 0) return true;
  const any = await runGit(['for-each-ref', '--count=1', 'refs/heads', 'refs/remotes'], { cwd: repo.root });
  return any.stdout !== '';
}

/** The view has no remote to fetch from, so what a landing needs must be here. */
async function requireObjects(view: GitView, target: string, targetSha: Sha): Promise<void> {
  const walk = ['rev-list', '--objects', '--no-object-names', '--no-walk', '--missing=print', targetSha];
  const listed = await view.run(walk);
  const missing = listed.stdout.split('\n').filter((line) => line.startsWith('?')).length;
  if (missing === 0) return;
  const message = `This is a partial clone, and ${missing} objects of ${target} were never fetched.`;
  throw new AppError('E_REPOSITORY_UNSUPPORTED', message, { remedy: 'git fetch --refetch --no-filter' });
}

interface Target {
  /** The branch to land on, without `refs/heads/`. */
  readonly target: string;
  readonly targetSha: Sha;
}

const HEADS = 'refs/heads/';
const ORIGIN = 'refs/remotes/origin/';

/**
 * The branch to land on: the one named, else the usual one. Null: there is none. Every command asks this before it reads its
 * configuration, so it starts no process where files tell.
 */
export async function findTarget(repo: Repository, wanted: string | null): Promise<Target | null> {
  if (wanted !== null) return firstBranch(repo, [withoutHeads(wanted)]);
  const usual = await firstBranch(repo, [originBranch(repo), 'main', 'master', currentBranch(repo)]);
  if (usual !== null) return usual;
  const { askDefaultBranch } = await import('../refs/ask-git.ts');
  return firstBranch(repo, [await askDefaultBranch(repo)]);
}

/** The branch that the main checkout stands on; null: on none. */
function currentBranch(repo: Repository): string | null {
  // Beside a bare repository there is no main checkout, and the one that was asked about counts as it.
  const isLinked = repo.linked && repo.root === repo.worktree;
  const gitDir = isLinked ? adminDirOf(repo, repo.root) : null;
  return readHeadFile(repo.commonDir, gitDir ?? repo.commonDir)?.branch ?? null;
}

function withoutHeads(name: string): string {
  return name.startsWith(HEADS) ? name.slice(HEADS.length) : name;
}

/** The branch that a clone was given as the usual one. */
function originBranch(repo: Repository): string | null {
  const [, name = null] = /^ref: (.+?)\r?\n?$/s.exec(textIfThere(join(repo.commonDir, ORIGIN, 'HEAD'))) ?? [];
  return name?.startsWith(ORIGIN) === true ? name.slice(ORIGIN.length) : null;
}

async function firstBranch(repo: Repository, names: readonly (string | null)[]): Promise<Target | null> {
  for (const target of names) {
    const targetSha = target === null ? null : await lookUpRef(repo, HEADS + target);
    if (target !== null && targetSha !== null) return { target, targetSha };
  }
  return null;
}
