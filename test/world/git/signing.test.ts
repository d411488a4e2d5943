import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { commitTree } from '../../../src/world/git/objects/commit.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { readSigning } from '../../../src/world/git/run/identity.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { itNeeds } from '../../needs.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const isThere = (command: string): boolean => spawnSync('which', [command]).status === 0;

let home = '';
let scratch: ScratchRepo;
let repo: Repository;
const before = { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] };

/** A home of its own, so that the developer's key plays no part. */
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paralph-home-'));
  process.env['HOME'] = home;
  delete process.env['XDG_CONFIG_HOME'];
  scratch = scratchRepo();
  scratch.git('config', '--unset', 'commit.gpgSign');
  repo = findRepository(scratch.dir);
});

afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(home, { recursive: true, force: true });
  scratch.remove();
});

const ours = (...lines: string[]): void => writeFileSync(join(home, '.gitconfig'), `${lines.join('\n')}\n`);

async function commit(signing: Awaited<ReturnType<typeof readSigning>>): Promise<Sha> {
  const view = await openView(repo);
  const head = sha(scratch.git('rev-parse', 'HEAD'));
  const identity = { name: 'Ada Test', email: 'ada@example.test', signing };
  const tree = sha(scratch.git('rev-parse', 'HEAD^{tree}'));
  return commitTree(view, { tree, parents: [head], message: 'Land it', identity });
}

/** A program that signs like gpg does, and notes how it was called. */
function fakeGpg(name: string, body = ''): { readonly path: string; readonly called: string } {
  const path = join(home, name);
  const called = join(home, `${name}.called`);
  const sign =
    'cat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; printf -- "-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n"';
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${called}'\n${body === '' ? sign : body}\n`);
  chmodSync(path, 0o755);
  return { path, called };
}

describe('readSigning', () => {
  it('signs when the user does, always, or never', async () => {
    expect(await readSigning(repo, 'auto')).toBeNull();
    expect(await readSigning(repo, 'always')).toEqual({ key: null, config: [] });
    ours('[commit]', 'gpgSign', '[user]', 'signingKey = ABCD', '[gpg]', 'program = /opt/my gpg');
    expect(await readSigning(repo, 'auto')).toEqual({ key: 'ABCD', config: ['gpg.program=/opt/my gpg'] });
    expect(await readSigning(repo, 'never')).toBeNull();
    ours('[commit]', 'gpgSign = yes');
    expect(await readSigning(repo, 'auto')).not.toBeNull();
    scratch.git('config', 'commit.gpgSign', 'false');
    expect(await readSigning(repo, 'auto')).toBeNull();
  });

  it('takes the switch and the key from the repository, and no program ever', async () => {
    ours('[gpg "ssh"]', 'program = /opt/keygen');
    scratch.git('config', 'commit.gpgSign', 'true');
    scratch.git('config', 'user.signingKey', 'keys/id.pub');
    scratch.git('config', 'gpg.format', 'ssh');
    for (const name of ['gpg.program', 'gpg.ssh.program', 'gpg.ssh.defaultKeyCommand', 'gpg.x509.program'])
      scratch.git('config', name, '/planted/program');
    scratch.git('config', 'extensions.worktreeConfig', 'true');
    scratch.git('config', '--worktree', 'gpg.openpgp.program', '/planted/program');
    expect(await readSigning(repo, 'auto')).toEqual({
      key: join(scratch.dir, 'keys/id.pub'),
      config: ['gpg.format=ssh', 'gpg.ssh.program=/opt/keygen'],
    });
    scratch.git('config', 'user.signingKey', 'key::ssh-ed25519 AAAA');
    expect((await readSigning(repo, 'auto'))?.key).toBe('key::ssh-ed25519 AAAA');
  });
});

describe('a signed commit', () => {
  it("is signed by the user's program with the user's key, and not by a planted one", async () => {
    const [mine, planted] = [fakeGpg('gpg-mine'), fakeGpg('gpg-planted')];
    ours('[commit]', 'gpgSign = true', '[user]', 'signingKey = ABCD1234', '[gpg]', `program = ${mine.path}`);
    scratch.git('config', 'gpg.program', planted.path);
    const made = await commit(await readSigning(repo, 'auto'));
    expect(scratch.git('cat-file', 'commit', made)).toContain('gpgsig -----BEGIN PGP SIGNATURE-----');
    expect(readFileSync(mine.called, 'utf8')).toContain('ABCD1234');
    expect(existsSync(planted.called)).toBe(false);
    expect(scratch.git('show', '-s', '--format=%s %an', made)).toBe('Land it Ada Test');
  });

  it('without a key is left to the committer', async () => {
    const mine = fakeGpg('gpg-mine');
    ours('[gpg]', `program = ${mine.path}`);
    await commit(await readSigning(repo, 'always'));
    expect(readFileSync(mine.called, 'utf8')).toContain('Ada Test <ada@example.test>');
  });

  it('that cannot be signed is not made, and the error says what to do', async () => {
    const mine = fakeGpg('gpg-mine', 'echo "gpg: no secret key" >&2; exit 2');
    ours('[commit]', 'gpgSign = true', '[gpg]', `program = ${mine.path}`);
    const signing = await readSigning(repo, 'auto');
    await expect(commit(signing)).rejects.toMatchObject({
      code: 'E_GIT',
      remedy: 'ralph config set landing.sign never',
      facts: expect.arrayContaining([expect.stringMatching(/sign/)]),
    });
    ours('[commit]', 'gpgSign = true', '[gpg]', `program = ${join(home, 'missing')}`);
    await expect(commit(await readSigning(repo, 'auto'))).rejects.toMatchObject({
      facts: expect.arrayContaining([expect.stringContaining('missing')]),
    });
  });

  it('unless asked for is not signed', async () => {
    const mine = fakeGpg('gpg-mine');
    ours('[commit]', 'gpgSign = true', '[gpg]', `program = ${mine.path}`);
    const made = await commit(await readSigning(repo, 'never'));
    expect(scratch.git('cat-file', 'commit', made)).not.toContain('gpgsig');
  });

  itNeeds('ssh-keygen', isThere('ssh-keygen'))('with an ssh key is one that git verifies', async () => {
    mkdirSync(join(home, '.ssh'));
    const key = join(home, '.ssh/id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', key]);
    ours('[commit]', 'gpgSign = true', '[gpg]', 'format = ssh', '[user]', 'signingKey = ~/.ssh/id.pub');
    const made = await commit(await readSigning(repo, 'auto'));
    expect(scratch.git('cat-file', 'commit', made)).toContain('gpgsig -----BEGIN SSH SIGNATURE-----');
    const signers = join(home, 'signers');
    writeFileSync(signers, `ada@example.test ${readFileSync(`${key}.pub`, 'utf8')}`);
    const verify = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', made];
    expect(() => scratch.git(...verify)).not.toThrow();
    rmSync(key);
    await expect(commit(await readSigning(repo, 'auto'))).rejects.toMatchObject({ code: 'E_GIT' });
  });
});
