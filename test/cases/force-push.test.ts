import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { expect, onTestFinished } from 'vitest';

import { ralph, beside } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { itNeeds } from '../needs.ts';

/** A remote that wants to know who comes; tells each time what it was shown. */
async function guardedRemote(): Promise<{ readonly url: string; readonly shown: (string | undefined)[] }> {
  const shown: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    shown.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="remote"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/project.git`, shown };
}

const hasHttp = existsSync(join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-remote-http'));

itNeeds('git-remote-http', hasHttp)(
  'case 13: an agent that pushes by force has nobody to ask for a password, fails at once, and it is in its log',
  async () => {
    const one = scratch();
    const { url, shown } = await guardedRemote();
    const said = beside(one, 'said');
    shellProject(
      one,
      `env | grep -E '^(SSH_AUTH_SOCK|SSH_ASKPASS|GIT_ASKPASS|GITHUB_TOKEN|GH_TOKEN)=' > ${said}.env || true
       code=0; git push --force ${url} HEAD:main || code=$?; echo $code > ${said}
       echo made > made.txt; echo '<promise>COMPLETE</promise>'`,
      { tasks: ['a'] },
    );
    // What most people have set up for themselves.
    const helper = String.raw`!f() { printf 'username=una\npassword=secret\n'; }; f`;
    one.git('config', '--file', join(one.home, '.gitconfig'), 'credential.helper', helper);
    one.git('config', 'credential.helper', helper);
    const secrets = {
      SSH_AUTH_SOCK: '/nowhere',
      SSH_ASKPASS: '/bin/false',
      GIT_ASKPASS: '/bin/echo',
      GH_TOKEN: 'secret',
    };
    expect((await ralph(one, ['run'], { env: secrets })).code).toBe(0);
    expect(readFileSync(`${said}.env`, 'utf8')).toBe('');
    expect(Number(readFileSync(said, 'utf8'))).toBeGreaterThan(0);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((one) => one !== undefined)).toEqual([]);
    expect((await ralph(one, ['logs', 'a', '--stderr'])).stdout).toMatch(/could not read Username|terminal prompts/);
  },
);
