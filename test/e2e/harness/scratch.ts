import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { Git } from './git.ts';
import { gitIn } from './git.ts';
import { invariants } from './invariants.ts';
import { killAll } from './processes.ts';

/** A repository of its own, a home of its own, nothing of the person who runs the tests. */
export interface Scratch {
  readonly root: string;
  readonly repo: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: Git;
  /** Writes a file of the repository. */
  readonly put: (path: string, text: string | Buffer) => void;
  /** Tasks that a person asked for again after they had landed. */
  readonly again: Set<string>;
}

export interface ScratchOptions {
  readonly hasIdentity?: boolean;
  readonly hasRepository?: boolean;
  readonly hasCommit?: boolean;
  /** What to begin with: a copy, and the folder it is a copy of. */
  readonly saved?: { readonly root: string; readonly copy: string };
}

/** Makes a scratch repository; when the test ends the invariants are checked and everything is cleared away. */
export function scratch(options: ScratchOptions = {}): Scratch {
  const { saved = null } = options;
  const root = saved?.root ?? mkdtempSync(join(realpathSync(tmpdir()), 'ralph-e2e-'));
  const [repo, home, tmp] = [join(root, 'repo'), join(root, 'home'), join(root, 'tmp')];
  if (saved === null) for (const dir of [repo, home, tmp]) mkdirSync(dir);
  else execFileSync('cp', ['-a', saved.copy, root]);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
  const git = gitIn(repo, env);
  const put = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  const made: Scratch = { root, repo, home, env, git, put, again: new Set() };
  onTestFinished(async () => {
    try {
      await invariants(made);
    } finally {
      killAll(root);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  });
  // Copies are other files to git until it has looked into them.
  if (saved !== null) git('update-index', '-q', '--refresh');
  else if (options.hasRepository !== false) makeRepository(made, options);
  return made;
}

function makeRepository({ git, put }: Scratch, options: ScratchOptions): void {
  git('init', '-q', '-b', 'main');
  if (options.hasIdentity !== false) {
    git('config', 'user.name', 'Una User');
    git('config', 'user.email', 'una@example.com');
  }
  if (options.hasCommit === false) return;
  put('README.md', '# scratch\n');
  put('.gitignore', '.env\n*.ignored\n');
  git('add', '-A');
  git('-c', 'user.name=Una User', '-c', 'user.email=una@example.com', 'commit', '-q', '-m', 'Start');
}
