import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { fetchFollowed, push } from '../../../src/world/git/refs/remote.ts';
import { itNeeds } from '../../needs.ts';
import { gitIn } from '../scratch.ts';
import { sealScene } from './scene.ts';

const hasHttp = existsSync(join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-remote-http'));

/** A remote that wants to know who comes. */
async function guardedRemote(): Promise<{ readonly url: string; readonly shown: () => string[] }> {
  const shown: string[] = [];
  const server = createServer((request, response) => {
    const [, given = ''] = (request.headers.authorization ?? '').split(' ');
    if (given !== '') shown.push(Buffer.from(given, 'base64').toString());
    response.writeHead(401, { 'www-authenticate': 'Basic realm="remote"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/project.git`, shown: () => shown.splice(0) };
}

/** A repository with remotes of every kind, and all that can be planted on the way to them. */
async function remotesScene() {
  const scene = await sealScene();
  const { git, dir, repo } = scene;
  const beside = (name: string): string => join(dir, '..', name);
  const canary = beside('canary');
  writeFileSync(beside('evil'), `#!/bin/sh\necho "$1" >> ${canary}\nexit 1\n`, { mode: 0o755 });
  const helper = String.raw`!f() { test "$1" != get || printf 'username=una\npassword=x\n'; }; f`;
  vi.stubEnv('HOME', beside('.'));
  onTestFinished(() => void vi.unstubAllEnvs());
  gitIn(dir, 'config', '--file', beside('.gitconfig'), 'credential.helper', helper);
  const { url, shown } = await guardedRemote();
  git('clone', '-q', '--bare', dir, beside('bare.git'));
  const remotes = {
    near: beside('bare.git'),
    other: beside('bare.git'),
    ssh: 'ssh://nobody@127.0.0.1:1/x.git',
    git: 'git://127.0.0.1:1/x.git',
    web: url,
  };
  for (const [name, at] of Object.entries(remotes)) git('remote', 'add', name, at);
  /** Which remotes answered, which of the planted programs ran, and who we said we are. */
  const fetchAll = async (): Promise<unknown> => {
    rmSync(canary, { force: true });
    const fetched: string[] = [];
    for (const remote of Object.keys(remotes)) {
      const followed = { remote, theirs: 'refs/heads/main', tracking: `refs/remotes/${remote}/main` };
      await fetchFollowed({ repo, env: process.env }, followed).then(
        () => fetched.push(remote),
        () => {},
      );
    }
    const sent = { remote: 'other', branch: 'sent', commit: sha(git('rev-parse', 'main')), expected: null };
    await push({ repo, env: process.env }, sent).catch(() => {});
    const ran = existsSync(canary) ? readFileSync(canary, 'utf8').trim().split('\n') : [];
    return { fetched, ran: [...new Set(ran)].sort(), shown: shown() };
  };
  const evil = beside('evil');
  const plant = {
    'core.sshCommand': `${evil} ssh`,
    'core.gitProxy': evil,
    'core.askPass': evil,
    'remote.near.uploadpack': `${evil} upload`,
    'remote.other.uploadpack': `${evil} upload`,
    'remote.other.receivepack': `${evil} receive`,
    'credential.helper': `!${evil} helper`,
    [`credential.${url}.helper`]: `!${evil} helper`,
  };
  const set = (): void => {
    for (const [key, value] of Object.entries(plant)) git('config', key, value);
  };
  return { ...scene, beside, fetchAll, plant, set };
}

describe('case 25: the way to a remote', () => {
  itNeeds('git-remote-http', hasHttp)(
    'what an agent plants for it runs in none of our fetches, nor does what is set during the run',
    async () => {
      const { git, iterate, beside, fetchAll, plant, set } = await remotesScene();
      // Who is asked at the end of a way of their own has that still.
      writeFileSync(beside('own'), `#!/bin/sh\ntouch ${beside('asked')}\nexec git-upload-pack "$@"\n`, { mode: 0o755 });
      git('config', 'remote.near.uploadpack', beside('own'));
      const seen: unknown[] = [];
      const script = Object.entries(plant).map(([key, value]) => `git config '${key}' '${value}'`);
      const breach = await iterate(script.join('\n'), async () => void seen.push(await fetchAll()));
      const unharmed = { fetched: ['near', 'other'], ran: [], shown: ['una:x'] };
      expect(seen).toEqual([unharmed]);
      expect([existsSync(beside('asked')), gitIn(beside('bare.git'), 'rev-parse', 'sent')]).toEqual([
        true,
        git('rev-parse', 'main'),
      ]);
      for (const key of ['core.sshcommand', 'uploadpack', 'receivepack']) expect(breach?.did.join()).toContain(key);
      // Nobody is at work, but the run goes on: what was not set before it began does not count.
      set();
      expect(await fetchAll()).toEqual(unharmed);
    },
  );

  itNeeds('git-remote-http', hasHttp)('what the user has set before the first agent counts, all of it', async () => {
    const { iterate, fetchAll, set } = await remotesScene();
    set();
    const seen: unknown[] = [await fetchAll()];
    await iterate('true', async () => void seen.push(await fetchAll()));
    const ran = ['127.0.0.1', 'helper', 'receive', 'ssh', 'upload'];
    const obeyed = { fetched: [], ran, shown: ['una:x'] };
    expect(seen).toEqual([obeyed, obeyed]);
  });
});
