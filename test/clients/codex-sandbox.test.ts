import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { describe, expect } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { arena } from './harness/arena.ts';
import { binOf } from './harness/clients.ts';
import { itWhere, itWith } from './harness/it-with.ts';
import { HONEST } from './model-server/scenario.ts';
import type { Turn } from './model-server/scenario.ts';

/** Whether codex can put a command into its sandbox on this machine: containers and old kernels often cannot. */
function hasSandbox(): boolean {
  const bin = binOf('codex');
  if (bin === null) return false;
  const home = mkdtempSync(join(tmpdir(), 'ralph-codex-'));
  const env = { HOME: home, PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  const { status } = spawnSync('codex', ['sandbox', '--', 'true'], { cwd: home, env, timeout: 30_000 });
  rmSync(home, { recursive: true, force: true });
  return status === 0;
}

/** The temporary folder is open to it by default, and the whole test lives in there. */
const NO_TMP = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].flatMap((key) => [
  '-c',
  `sandbox_workspace_write.${key}=true`,
]);
const isThere = binOf('codex') === null || hasSandbox();
const it = isThere ? itWith('codex') : itWhere(false, "codex's sandbox does not work on this machine");

describe('codex in its sandbox', () => {
  it('commits in its linked worktree, and reaches neither hooks nor the checkout', async () => {
    const outside: Turn = {
      shell: 'touch ../../../outside.txt; echo x > ../../../.git/hooks/pre-commit; git config user.name Mallory',
    };
    const one = await arena({
      clients: ['codex'],
      tasks: ['t1'],
      scenario: { turns: [outside, ...HONEST] },
      config: { 'agents.codex': { sandbox: 'workspace', args: NO_TMP } },
    });
    const { code, stdout, stderr } = await one.ralph(['run', '--parallel', '--max-workers', '1', '--json']);
    expect(summaryOf(stdout), stderr).toMatchObject({ landed: ['t1'] });
    expect(code).toBe(0);
    // The message is the agent's own: what it leaves uncommitted is committed under another.
    expect(one.git('log', '--format=%an: %s', 'main')).toMatch(/^Una User: Add t1$/m);
    const { stdout: left } = spawnSync('ls', ['-A', '.', '.git/hooks'], { cwd: one.repo, encoding: 'utf8' });
    expect(left).not.toMatch(/^(?:outside\.txt|pre-commit)$/m);
  });
});
