import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { everything } from '../harness/fingerprint.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, fakeProgram, shellProject } from '../harness/shell-agent.ts';

const VERSION = `if [ "$1" = --version ]; then echo '9.9.9 (Claude Code)'; exit 0; fi`;
/** The same whether root runs the tests or not. */
const SANDBOX = { IS_SANDBOX: '1' };

/** A repository without a configuration, and a PATH that leads with a client of ours. */
function withClaude(script: string): { readonly one: Scratch; readonly env: Record<string, string> } {
  const one = scratch();
  const bin = fakeProgram(one, 'claude', `${VERSION}\n${script}`);
  return { one, env: { ...SANDBOX, PATH: `${bin}:/usr/bin:/bin` } };
}

describe('agents list', () => {
  it('shows known and configured agents, what is installed, and which one a run takes', async () => {
    const { one, env } = withClaude('exit 1');
    const before = everything(one.repo);
    const listed = await ralph(one, ['agents', 'list', '--json'], { env });
    expect(listed.code).toBe(0);
    const agents = listOf(listed.stdout, 'agents');
    expect(agents[0]).toMatchObject({ name: 'claude', driver: 'claude', version: '9.9.9 (Claude Code)', chosen: true });
    expect(agents.map(({ name }) => name)).toEqual(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi']);
    expect(agents[1]).toMatchObject({ installed: false, path: null, version: null, chosen: false });
    const plain = await ralph(one, ['agents', 'list'], { env });
    expect(plain.stdout).toMatch(/^\* +claude +claude +9\.9\.9/m);
    expect(plain.stdout).toMatch(/codex.*not installed/);
    expect(everything(one.repo)).toEqual(before);
  });

  it('puts the configured one first, and asks a text agent nothing', async () => {
    const one = scratch();
    shellProject(one, 'exit 1', { tasks: ['alpha'] }, { account: 'mine' });
    const agents = listOf((await ralph(one, ['agents', 'list', '--json'])).stdout, 'agents');
    expect(agents[0]).toMatchObject({ name: 'shell', driver: 'text', account: 'mine', version: null, chosen: true });
    expect(agents.map(({ name }) => name)).toContain('scripted');
  });
});

describe('agents check', () => {
  it('is fine with an agent that is', async () => {
    const { one, env } = withClaude('exit 1');
    const { code, stdout } = await ralph(one, ['agents', 'check'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/ok {4}program: .*\/bin\/claude/);
    expect(stdout).toContain('9.9.9 (Claude Code)');
  });

  it('names each trouble with its remedy', async () => {
    const { one, env } = withClaude('exit 1');
    const missing = await ralph(one, ['agents', 'check', 'codex'], { env });
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain('error[E_AGENT_MISSING]');
    expect(missing.stdout).toContain('not on PATH');
    const unknown = await ralph(one, ['agents', 'check', 'cladue'], { env });
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toMatch(/E_UNKNOWN_AGENT.*did you mean claude/);
    fakeProgram(one, 'codex', `echo 'something else 1.0'`);
    const stranger = await ralph(one, ['agents', 'check', 'codex'], { env });
    expect(stranger.code).toBe(0);
    expect(stranger.stdout).toContain('warn  driver: driver codex is made for another client');
    expect(stranger.stdout).toMatch(/warn {2}login[^]*fix: codex login/);
    const json = await ralph(one, ['agents', 'check', 'codex', '--json'], { env });
    const [agent] = listOf(json.stdout, 'agents');
    expect(agent).toMatchObject({ name: 'codex', fine: true, smoke: null });
  });

  it('knows that claude refuses root, and only root', async () => {
    const { one, env } = withClaude('exit 1');
    const { code, stdout } = await ralph(one, ['agents', 'check', 'claude'], {
      env: { ...env, IS_SANDBOX: undefined },
    });
    const isRoot = process.getuid?.() === 0;
    expect(code).toBe(isRoot ? 4 : 0);
    expect(stdout.includes('fix: ralph config set agents.claude.env.IS_SANDBOX 1')).toBe(isRoot);
  });
});

describe('agents check --smoke', () => {
  it('lets the agent make one turn in a scratch repository and tells what came of it', async () => {
    const { one, env } = withClaude(
      `prompt=$(cat); test "$prompt" = 'Reply with exactly: OK'; git log -1 --format=%s >&2\n${claudeLines('OK', 0.25)}`,
    );
    const before = everything(one.repo);
    const { code, stdout, stderr } = await ralph(one, ['agents', 'check', 'claude', '--smoke', '--json'], { env });
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    const [agent] = listOf(stdout, 'agents');
    expect(agent).toMatchObject({
      name: 'claude',
      fine: true,
      smoke: { fine: true, outcome: 'worked', final_text: 'OK', cost_usd: 0.25, output_tokens: 50 },
    });
    const plain = await ralph(one, ['agents', 'check', 'claude', '--smoke'], { env });
    expect(plain.stdout).toMatch(/smoke: worked, said "OK"; \d+ tokens in, 50 out, cost \$0\.25/);
    expect(everything(one.repo)).toEqual(before);
    expect(readdirSync(one.env['TMPDIR'] ?? '').filter((name) => name.includes('smoke'))).toEqual([]);
  });

  it('fails with what the agent said', async () => {
    const refused = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'Invalid API key · Please run /login',
      api_error_status: 401,
      num_turns: 1,
    });
    const { one, env } = withClaude(`cat > /dev/null; echo '${refused}'; echo 'look here' >&2; exit 1`);
    const { code, stdout, stderr } = await ralph(one, ['agents', 'check', 'claude', '--smoke'], { env });
    expect(code).toBe(4);
    expect(stderr).toContain('error[E_AGENT_FAILED]');
    expect(stderr).toContain('fix: claude /login');
    expect(stdout).toContain('Invalid API key');
    expect(stdout).toMatch(/^ +look here$/m);
  });

  it('names a command that can be pasted, whatever is in it', async () => {
    const one = scratch();
    const command = ['sh', '-c', 'echo "$$ is broken" >&2; exit 3'];
    project(one, { tasks: ['a'], config: { agent: 'mine', 'agents.mine': { command } } });
    const { code, stderr } = await ralph(one, ['agents', 'check', 'mine', '--smoke']);
    expect(code).toBe(4);
    const fix = /^fix: (.*)$/m.exec(stderr)?.[1] ?? '';
    expect(spawnSync('sh', ['-c', fix], { encoding: 'utf8' })).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/^\d+ is broken\n$/) as string,
    });
  });
});
