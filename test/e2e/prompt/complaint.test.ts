import { describe, expect, it } from 'vitest';

import { PROMISE, promptFor, promptProject } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('an agent that fails', () => {
  it('is shown with what it wrote to its standard error, wherever a person looks', async () => {
    const one = scratch();
    promptProject(one, `printf 'no key\\033[2J\\nset KEY first\\n' >&2; exit 1`);
    const args = ['run', '--worktree', '--set', 'limits.consecutive_failures=1', promptFor('failing')];
    const run = await ralph(one, args);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/ --stderr\):\n {2}no key.*\n {2}set KEY first\n/),
    ]);
    const why = await ralph(one, ['why', 'make-failing']);
    expect(why.stdout).toMatch(/ {2}no key.*\n {2}set KEY first\n/);
    const logs = await ralph(one, ['loops', 'logs', 'make-failing']);
    expect(logs.stdout).toMatch(/=== \S+ iteration 1 \(shell\) ===\nno key.*\nset KEY first\n/);
    for (const { stdout, stderr } of [run, why, logs]) expect(stdout + stderr).not.toContain('\u001b[2J');
  });

  it('is not taken for one that only says something there', async () => {
    const one = scratch();
    promptProject(one, `echo chatter >&2; echo x > x.txt; ${PROMISE}`);
    const run = await ralph(one, ['run', '--worktree', promptFor('fine')]);
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('chatter')]);
    expect((await ralph(one, ['loops', 'logs', 'make-fine'])).stdout).not.toContain('chatter');
  });
});
