import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { keepFile, keepLink, orNull } from './trusted-folder.ts';
import { readFormat } from './repository-format.ts';
import type { RepositoryFormat } from './repository-format.ts';
import type { Repository } from './repository.ts';
import { runGit, runGitBytes, HARDENED } from './run-git.ts';
import type { GitBytes, GitResult } from './run-git.ts';
import { trustedShallow } from './trust.ts';

export interface ViewOptions {
  readonly input?: string | Buffer;
  readonly ok?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** A folder whose `.gitattributes` count. Default: none do. */
  readonly workTree?: string;
  readonly timeoutMs?: number;
  /** As of `GitOptions`. */
  readonly sink?: Writable;
}

/**
 * Our own way into the repository: its objects and refs under a git folder with a config, hooks and attributes of ours.
 * What anyone put into the repository's config or hooks neither executes here nor changes an answer.
 */
export interface GitView {
  readonly gitDir: string;
  /** Where the repository itself keeps its refs. */
  readonly refsDir: string;
  readonly objectFormat: RepositoryFormat['objectFormat'];
  /** Several people write to it: `core.sharedRepository` is set. */
  readonly isShared: boolean;
  run(args: readonly string[], options?: ViewOptions): Promise<GitResult>;
  /** The same with the bytes as they are, for file contents and file names. */
  bytes(args: readonly string[], options?: ViewOptions): Promise<GitBytes>;
}

/** Stands where the repository has it, also when it comes to exist later. */
const LINKED = ['objects', 'refs', 'packed-refs', 'shallow', 'logs'] as const;

/** Makes or mends the view. Each piece is put in place by one rename, so several processes may do this at once. */
export async function openView(repo: Repository): Promise<GitView> {
  const format = await readFormat(repo);
  const config = viewConfig(format);
  const gitDir = join(repo.stateDir, 'view');
  lay(repo, gitDir, config);
  const open = opened.get(gitDir);
  if (open?.config === config) return open.view;
  const prepare = (options: ViewOptions) => {
    // An agent may reach this folder too; whatever it put there must be gone before git reads it.
    if (!isIntact(gitDir, config)) lay(repo, gitDir, config);
    const { workTree, env, ...rest } = options;
    const attributes = workTree === undefined ? {} : { GIT_WORK_TREE: workTree };
    const own = { ...viewEnvironment(gitDir), ...trustedShallow(repo.commonDir) };
    return { ...rest, cwd: workTree ?? gitDir, env: { ...own, ...attributes, ...env } };
  };
  const view: GitView = {
    gitDir,
    refsDir: repo.commonDir,
    objectFormat: format.objectFormat,
    isShared: format.shared !== null,
    run: async (args, options = {}) => runGit(args, prepare(options)),
    bytes: async (args, options = {}) => runGitBytes(args, prepare(options)),
  };
  opened.set(gitDir, { config, view });
  return view;
}

/** One view a repository: what was learnt through it is remembered with it. */
const opened = new Map<string, { readonly config: string; readonly view: GitView }>();

function viewEnvironment(gitDir: string): Record<string, string> {
  return {
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
  };
}

function viewConfig(format: RepositoryFormat): string {
  const lines = [
    '[core]',
    `repositoryFormatVersion = ${format.objectFormat === 'sha1' ? 0 : 1}`,
    'bare = true',
    // Objects of candidates are flushed all at once, by `landRef`, before any ref that matters names them.
    'fsync = reference',
    'hooksPath = /dev/null',
    'attributesFile = /dev/null',
    'excludesFile = /dev/null',
    'quotePath = false',
    // A forged one would tell of parents and trees that no commit has.
    'commitGraph = false',
    // The user's branches keep their reflog when it is we who move them.
    'logAllRefUpdates = true',
    'filesRefLockTimeout = 3000',
    'packedRefsTimeout = 3000',
  ];
  if (format.shared !== null) lines.push(`sharedRepository = ${format.shared}`);
  if (format.objectFormat !== 'sha1') lines.push('[extensions]', `objectFormat = ${format.objectFormat}`);
  lines.push('[gc]', 'auto = 0', '[maintenance]', 'auto = false', '[merge]', 'conflictStyle = diff3');
  // Only ever seen in a reflog: commits carry the identity they are given.
  lines.push('[user]', 'name = paralph', 'email = paralph@localhost', '');
  return lines.join('\n');
}

/** The two files that could lead git to a config that is not ours. */
function isIntact(gitDir: string, config: string): boolean {
  return (
    orNull(() => readFileSync(join(gitDir, 'config'), 'utf8')) === config && !existsSync(join(gitDir, 'commondir'))
  );
}

function lay(repo: Repository, gitDir: string, config: string): void {
  try {
    mkdirSync(gitDir, { recursive: true, mode: 0o700 });
    // Bare repositories have none, and git makes no folder through a link that leads nowhere.
    mkdirSync(join(repo.commonDir, 'logs'), { recursive: true });
    for (const name of LINKED) keepLink(join(gitDir, name), join(repo.commonDir, name));
    for (const name of ['hooks', 'info']) {
      rmSync(join(gitDir, name), { recursive: true, force: true });
      mkdirSync(join(gitDir, name), { recursive: true });
    }
    rmSync(join(gitDir, 'commondir'), { recursive: true, force: true });
    // Not a branch: git treats the branch of HEAD as checked out here.
    keepFile(join(gitDir, 'HEAD'), Buffer.from('ref: refs/paralph/view\n'));
    keepFile(join(gitDir, 'config'), Buffer.from(config));
  } catch (error) {
    throw unwritable(gitDir, error);
  }
}

function unwritable(gitDir: string, error: unknown): AppError {
  const why = error instanceof Error ? error.message : String(error);
  return new AppError('E_STATE_UNWRITABLE', `${gitDir} cannot be set up: ${why}`, {
    facts: ['it may be deleted: it holds nothing of its own'],
    remedy: `ls -ld ${shellWord(dirname(gitDir))} && df -h ${shellWord(dirname(gitDir))}`,
    cause: error,
  });
}

/** Reads the repository as it is and makes nothing: for commands that promise to change nothing. Never merge or write through it. */
export function plainView(repo: Repository): GitView {
  return {
    gitDir: repo.commonDir,
    refsDir: repo.commonDir,
    // Not asked for: what is not found this way is asked of git, and nothing is written.
    objectFormat: 'sha1',
    isShared: true,
    run: (args, options) => runGit([...HARDENED, ...args], { cwd: repo.commonDir, ...options }),
    bytes: (args, options) => runGitBytes([...HARDENED, ...args], { cwd: repo.commonDir, ...options }),
  };
}
