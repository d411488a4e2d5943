import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ScratchRepo {
  readonly dir: string;
  /** Runs git in the repository and returns its trimmed output; a failure throws with what git said. */
  git(...args: string[]): string;
  /** Writes a file below the repository, making folders as needed. */
  write(path: string, content: string | Buffer): void;
  /** Commits everything there is and returns the commit's id. */
  commit(message?: string): string;
  remove(): void;
}

export interface ScratchOptions {
  /** Committed as the first commit; null: a repository without commits. */
  readonly files?: Readonly<Record<string, string>> | null;
  readonly branch?: string;
  /** The folder's own name, for spaces and other oddities. */
  readonly name?: string;
  readonly init?: readonly string[];
}

/** An environment in which the developer's own git settings and hooks play no part. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
}

export function gitIn(dir: string, ...args: string[]): string {
  const output = execFileSync('git', args, {
    cwd: dir,
    env: plainEnvironment(),
    stdio: 'pipe',
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.toString('utf8').trim();
}

/** A real repository in a temporary folder, with an identity of its own and one commit. */
export function scratchRepo(options: ScratchOptions = {}): ScratchRepo {
  const { files = { 'README.md': 'hello\n' }, branch = 'main', name = 'repo', init = [] } = options;
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'paralph-')));
  const dir = join(outer, name);
  mkdirSync(dir);
  const git = (...args: string[]): string => gitIn(dir, ...args);
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  const commit = (message = 'change'): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', branch, ...init);
  git('config', 'user.name', 'Ada Test');
  git('config', 'user.email', 'ada@example.test');
  git('config', 'commit.gpgSign', 'false');
  if (files !== null) {
    for (const [path, content] of Object.entries(files)) write(path, content);
    commit('first');
  }
  return { dir, git, write, commit, remove: () => rmSync(outer, { recursive: true, force: true, maxRetries: 3 }) };
}
