import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askUpstream } from '../../../src/world/landing/ask-upstream.ts';
import type { UpstreamNews } from '../../../src/world/landing/ask-upstream.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { gitIn, plainEnvironment, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

interface Followed extends ScratchRepo {
  readonly origin: string;
  /** Somebody else pushes a commit. */
  readonly theirs: (message: string) => string;
  readonly ask: (env?: NodeJS.ProcessEnv, limitMs?: number) => Promise<UpstreamNews | null>;
  /** As if a minute had gone by. */
  readonly later: () => void;
}

/** A main that follows that of a bare repository, both at the same commit. */
function followed(): Followed {
  const scratch = scratchRepo({ name: "it's a repo" });
  onTestFinished(() => scratch.remove());
  const { dir, git } = scratch;
  const origin = join(dirname(dir), 'origin.git');
  const other = join(dirname(dir), 'other');
  git('init', '-q', '--bare', '-b', 'main', origin);
  git('remote', 'add', 'origin', origin);
  git('push', '-q', '-u', 'origin', 'main');
  git('clone', '-q', origin, other);
  const repo = findRepository(dir);
  const note = join(repo.stateDir, 'fetched');
  return {
    ...scratch,
    origin,
    theirs: (message) => {
      gitIn(
        other,
        '-c',
        'user.name=O',
        '-c',
        'user.email=o@example.test',
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        message,
      );
      gitIn(other, 'push', '-q', 'origin', 'main');
      return gitIn(other, 'rev-parse', 'HEAD');
    },
    ask: (env = plainEnvironment(), limitMs = 60_000) =>
      askUpstream({ repo, env, target: 'main', signal: new AbortController().signal, limitMs }),
    later: () => writeFileSync(note, readFileSync(note, 'utf8').replace(/^\d+/, String(Date.now() - 61_000))),
  };
}

const paste = (command: string): void =>
  void execFileSync('sh', ['-c', command], { env: plainEnvironment(), stdio: 'pipe' });

describe('S0.4 askUpstream', () => {
  it('says how far main is behind, and moves nothing but the note of it', async () => {
    const { dir, git, theirs, ask, later } = followed();
    const hook = join(dir, '.git/hooks/reference-transaction');
    writeFileSync(hook, `#!/bin/sh\ntouch ran\n`);
    chmodSync(hook, 0o755);
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    git('config', '--add', 'remote.origin.fetch', '+refs/heads/main:refs/heads/copy');
    git('update-ref', 'refs/remotes/origin/gone', 'main');
    git('config', 'fetch.prune', 'true');
    rmSync(join(dir, 'ran'), { force: true });
    rmSync(join(dir, '.git/FETCH_HEAD'), { force: true });
    expect(await ask()).toMatchObject({ failure: null, ahead: 0, behind: 0 });
    theirs('one');
    const newest = theirs('two');
    const refs = git('for-each-ref', '--format=%(refname) %(objectname)');
    expect(await ask(), 'asked a moment ago').toMatchObject({ failure: null, behind: 0 });
    later();
    const news = await ask();
    expect(news).toMatchObject({ name: 'origin/main', remote: 'origin', failure: null, ahead: 0, behind: 2 });
    const was = git('rev-parse', 'main');
    expect(git('for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      refs.replace(`refs/remotes/origin/main ${was}`, `refs/remotes/origin/main ${newest}`),
    );
    expect(existsSync(join(dir, 'ran')) || existsSync(join(dir, '.git/FETCH_HEAD'))).toBe(false);
    rmSync(hook);
    paste(news?.remedy ?? '');
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([newest, '']);
    expect(await ask()).toMatchObject({ behind: 0, remedy: '' });
  });

  it('says what is only here and only there, also while main is checked out nowhere', async () => {
    const { git, theirs, ask, commit } = followed();
    git('switch', '-q', '-c', 'elsewhere');
    theirs('one');
    const behind = await ask();
    expect(behind).toMatchObject({ ahead: 0, behind: 1 });
    paste(behind?.remedy ?? '');
    expect(await ask()).toMatchObject({ ahead: 0, behind: 0 });
    git('switch', '-q', 'main');
    git('reset', '-q', '--hard', 'HEAD~1');
    const mine = commit('mine');
    git('switch', '-q', 'elsewhere');
    const parted = await ask();
    expect(parted).toMatchObject({ ahead: 1, behind: 1 });
    expect(git('rev-parse', 'main')).toBe(mine);
    git('switch', '-q', 'main');
    paste((await ask())?.remedy ?? '');
    expect(await ask()).toMatchObject({ behind: 0 });
    git('reset', '-q', '--hard', mine);
    git('switch', '-q', 'elsewhere');
    paste(parted?.remedy ?? '');
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(await ask()).toMatchObject({ behind: 0 });
  });

  it('has nothing to say where main follows nothing, or where fetching would move branches', async () => {
    const { git, theirs, ask } = followed();
    const main = git('rev-parse', 'main');
    theirs('one');
    git('config', '--replace-all', 'remote.origin.fetch', '+refs/heads/*:refs/heads/*');
    git('switch', '-q', '--detach');
    expect(await ask()).toBeNull();
    git('branch', '--unset-upstream', 'main');
    expect(await ask()).toBeNull();
    expect(git('rev-parse', 'main')).toBe(main);
  });

  it('says why a remote did not answer, and what was known before', async () => {
    const { git, origin, theirs, ask, later } = followed();
    theirs('one');
    expect(await ask()).toMatchObject({ failure: null, behind: 1 });
    later();
    rmSync(origin, { recursive: true });
    expect(await ask()).toMatchObject({ failure: expect.stringContaining('does not appear') as string, behind: 1 });
    git('remote', 'set-url', 'origin', 'ext::sh -c "touch ran"');
    expect(await ask()).toMatchObject({ failure: expect.stringContaining("'ext' not allowed") as string });
  });

  it('waits no longer than it was told, also for what has left the group and holds the pipes', async () => {
    const { dir, git, ask } = followed();
    const pids = join(dirname(dir), 'pids');
    const away = `const { pid } = require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
require('node:fs').appendFileSync(process.argv[1], pid + '\\n')`;
    const ssh = join(dirname(dir), 'ssh.sh');
    writeFileSync(
      ssh,
      `#!/bin/sh\n"${process.execPath}" -e "${away}" "${pids}"\necho $$ >> "${pids}"\nexec sleep 600\n`,
    );
    git('remote', 'set-url', 'origin', 'ssh://nowhere.invalid/x');
    const asked = ask({ ...plainEnvironment(), GIT_SSH_COMMAND: `sh '${ssh}'`, GIT_SSH_VARIANT: 'simple' }, 1000);
    onTestFinished(() => {
      for (const pid of pidsIn(pids)) end(pid);
    });
    expect(await asked).toMatchObject({ failure: 'no answer within 1 s', behind: 0 });
    const [, ours] = pidsIn(pids);
    await expect.poll(() => ours === undefined || !isThere(ours), { message: 'ssh itself is ended' }).toBe(true);
  });
});

const pidsIn = (file: string): readonly number[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];

function isThere(pid: number): boolean {
  try {
    // Until its parent has looked, an ended process is still listed.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended already.
  }
}
