import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { landedTasks } from './harness/git.ts';
import { ralph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';
import { CLAIM, iterationsOf, OWN_FILE, trainProject, userCommits, watchedGate } from './harness/train.ts';
import { INT } from './harness/values.ts';
import { why } from './harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
const row = (id: string): string => `- [ ] Make ${id} <!-- id: ${id} -->\n`;

/** Two tasks landed, of a task file that git does not know. */
async function landed(method: string): Promise<Scratch> {
  const one = scratch();
  const gate = watchedGate(one, 'test ! -e BROKEN');
  one.put('.gitignore', 'PRD.md\n');
  trainProject(one, { tasks: ['t1', 't2'], gate, script: `${OWN_FILE}; ${CLAIM}`, config: { landing: { method } } });
  expect(one.git('ls-files')).not.toContain('PRD.md');
  const { code, stderr } = await ralph(one, RUN, { isCheckoutGuarded: false });
  expect(code, stderr).toBe(0);
  expect(landedTasks(one.git, INT).sort()).toEqual(['t1', 't2']);
  return one;
}

/** Everything we know is gone, and the task file has no ticks and one task more. */
function lose(one: Scratch): void {
  const state = join(one.repo, '.git/paralph');
  expect(existsSync(join(state, 'log'))).toBe(true);
  rmSync(state, { recursive: true });
  one.put('PRD.md', `## Tasks\n\n${row('t1')}${row('t2')}${row('t3')}`);
}

async function onlyTheThird(one: Scratch): Promise<void> {
  const { code, stderr } = await ralph(one, RUN, { isCheckoutGuarded: false });
  expect(code, stderr).toBe(0);
  expect(['t1', 't2', 't3'].map((task) => iterationsOf(one, 'shell', task))).toEqual([1, 1, 1]);
  for (const task of ['t1', 't2', 't3']) expect((await why(one, task)).status).toBe('landed');
}

describe('S1.5 the log is lost', () => {
  it.each(['merge', 'squash', 'rebase'])(
    'method %s: what history tells to have landed neither runs nor lands again',
    async (method) => {
      const one = await landed(method);
      lose(one);
      await onlyTheThird(one);
      expect(landedTasks(one.git, INT).sort()).toEqual(['t1', 't2', 't3']);
    },
  );

  it('also where a person said something to the new log before anybody ran', async () => {
    const one = await landed('merge');
    lose(one);
    expect((await ralph(one, ['queue', 'pause'])).code).toBe(0);
    expect((await ralph(one, ['queue', 'resume'])).code).toBe(0);
    await onlyTheThird(one);
  });

  it('also where the user has merged what landed themselves, so that it is on a side line', async () => {
    const one = await landed('merge');
    one.git('checkout', '-q', '-b', 'own', 'main~2');
    userCommits(one, { 'mine.txt': 'mine\n' });
    one.git('merge', '-q', '--no-edit', 'main');
    one.git('checkout', '-q', 'main');
    one.git('merge', '-q', '--ff-only', 'own');
    lose(one);
    await onlyTheThird(one);
  });
});
