import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { HONEST, project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { promptOf, shellAgent } from '../harness/train.ts';

const RUN = ['run', '--json'];
const MINE = {
  NPM_TOKEN: 'npm-1',
  OPENAI_API_KEY: 'sk-1',
  APP_SECRET: 's-1',
  DB_PASSWORD: 'p-1',
  MY_CREDENTIALS: 'c-1',
  SSH_AUTH_SOCK: '/nowhere/agent',
  SSH_ASKPASS: '/nowhere/ask',
  GPG_AGENT_INFO: '/nowhere/gpg',
  SESSION_COOKIE: 'k-1',
  AWS_PROFILE: 'prod',
  AZURE_TENANT_ID: 't-1',
  GOOGLE_CLOUD_PROJECT: 'g-1',
  GH_HOST: 'h-1',
  GITHUB_ACTOR: 'una',
  DATABASE_URL: 'postgres://una:hidden@localhost/db',
  RALPH_LOOP_ID: '',
};
const PLAIN = { CI: '1', AUTHOR: 'una', KEYBOARD: 'us', CACHE_URL: 'redis://localhost:6379' };

function envOf(one: Scratch): Record<string, string> {
  const lines = readFileSync(beside(one, 'env'), 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => [line.replace(/=.*/, ''), line.replace(/^[^=]*=/, '')]));
}

describe('mend f: gates run without the credentials of whoever started the run', () => {
  it('mend f: what looks like a credential, and what identifies a loop, is left out; the rest is there', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], config: { gates: { commands: [`env > ${beside(one, 'env')}`] } } });
    const { code, stderr } = await ralph(one, RUN, { env: { ...MINE, ...PLAIN } });
    expect(code, stderr).toBe(0);
    const seen = envOf(one);
    expect(Object.keys(seen).filter((name) => name in MINE)).toEqual([]);
    expect(Object.keys(seen).filter((name) => /TOKEN|SECRET|LOOP|TASK|ITERATION/.test(name))).toEqual([]);
    expect(Object.keys(seen).filter((name) => /^RALPH_(?!GATE_(MARK|SLOT)$)/.test(name))).toEqual([]);
    expect(seen).toMatchObject(PLAIN);
  });

  it('mend f: [gates] pass_env lets one in, by name or prefix, and is part of what a verdict is about', async () => {
    const one = scratch();
    const gates = {
      commands: [`env > ${beside(one, 'env')}; test -n "$DATABASE_URL"`],
      pass_env: ['DATABASE_URL', 'AWS_*'],
    };
    project(one, { tasks: ['t1'], config: { gates } });
    const { code, stderr } = await ralph(one, RUN, { env: MINE });
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
    const seen = envOf(one);
    expect(seen).toMatchObject({ DATABASE_URL: MINE.DATABASE_URL, AWS_PROFILE: 'prod' });
    expect(
      Object.keys(seen)
        .filter((name) => name in MINE)
        .sort(),
    ).toEqual(['AWS_PROFILE', 'DATABASE_URL']);
    const bad = await ralph(one, ['config', 'set', 'gates.pass_env', '["MY VAR"]']);
    expect(bad.code).toBe(3);
  });

  it('mend f: what prepares a worktree of a loop runs without them too, and names those it missed', async () => {
    const one = scratch();
    const setup = ['test -n "$NPM_TOKEN" || { echo "npm ci needs NPM_TOKEN"; false; }'];
    project(one, { tasks: ['t1'], config: { worktree: { setup } } });
    const { code, stderr } = await ralph(one, ['run'], { env: MINE });
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/gates do not get NPM_TOKEN.*pass_env = \["NPM_TOKEN"\]/),
    ]);
    expect((await ralph(one, ['run', '--set', 'gates.pass_env=NPM_TOKEN'], { env: MINE })).code).toBe(0);
  });

  it('mend f: a red gate names what was left out and is mentioned, with the setting, to you and to the agent', async () => {
    const one = scratch();
    const commands = [
      'echo "AUTH: no NPM_TOKEN here"; for i in $(seq 2000); do echo filler; done; test ! -e t1.txt || test -n "$DATABASE_URL"',
    ];
    const shell = shellAgent(one, 'shell', `echo x >> t1.txt; echo '<promise>COMPLETE</promise>'`);
    const config = { agent: 'shell', gates: { commands }, limits: { iterations: 2 }, 'agents.shell': shell };
    project(one, { tasks: ['t1'], agent: HONEST, config });
    const { code, stderr } = await ralph(one, ['run'], { env: MINE });
    expect(code).toBe(1);
    const told = /DATABASE_URL, NPM_TOKEN.*pass_env = \["DATABASE_URL", "NPM_TOKEN"\]/;
    expect(stderr).toMatch(told);
    expect((await ralph(one, ['why', 't1'])).stdout).toMatch(told);
    expect(promptOf(one, 'shell', 't1', 2)).toMatch(told);
    expect(stderr).not.toContain('hidden');
    expect(stderr).not.toContain('OPENAI_API_KEY');
  });
});
