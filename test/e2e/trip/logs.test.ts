import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { CLAIM, OWN_FILE } from '../harness/train.ts';

const SAYS = 'echo "I am $RALPH_TASK_ID"; printf "no end"';
const KEY = `sk-${'A1b2'.repeat(8)}`;

interface Row {
  readonly id: string;
  readonly task: string;
  readonly worktree: string;
}

describe('logs', () => {
  it('trip 14: are for their owner alone, follow no link, and show no key to people', async () => {
    const one = scratch();
    shellProject(one, `${OWN_FILE}; echo 'using ${KEY}'; ${CLAIM}`, { tasks: ['t1', 't2'] });
    const logs = join(one.repo, '.ralph/logs');
    mkdirSync(logs, { recursive: true });
    writeFileSync(beside(one, 'mine'), 'mine\n');
    symlinkSync(beside(one, 'mine'), join(logs, 'worker-1-t2.log'));
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(statSync(join(logs, 'worker-1-t1.log')).mode & 0o777).toBe(0o600);
    expect(readFileSync(beside(one, 'mine'), 'utf8')).toBe('mine\n');
    const [shown, raw] = [await ralph(one, ['logs', 't1']), await ralph(one, ['logs', 't1', '--raw'])];
    expect(shown.stdout).toContain('using sk-A[redacted]');
    expect(raw.stdout).toContain(KEY);
  });

  it('trip 14: a pipe planted in the place of one holds nobody up', async () => {
    const one = scratch();
    shellProject(one, `${OWN_FILE}; ${CLAIM}`, { tasks: ['t1'] });
    const logs = join(one.repo, '.ralph/logs');
    mkdirSync(logs, { recursive: true });
    execFileSync('mkfifo', [join(logs, 'worker-1-t1.log')]);
    expect((await ralph(one, ['run'], { timeoutMs: 60_000 })).code).toBe(0);
  });

  it('trip 12: without an id they are those of the worktree one stands in, else all, each line prefixed', async () => {
    const one = scratch();
    const config = { parallel: { merge_policy: 'manual' } };
    shellProject(one, `${OWN_FILE}; ${CLAIM}; ${SAYS}; echo; ${CLAIM}`, { tasks: ['t1', 't2'], config });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const loops = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops') as unknown as readonly Row[];
    const [first, second] = ['t1', 't2'].map((task) => loops.find((loop) => loop.task === task)) as [Row, Row];
    const here = await ralph(one, ['logs'], { cwd: second.worktree });
    expect(here.stdout).toBe((await ralph(one, ['logs', 't2'])).stdout);
    const all = await ralph(one, ['logs']);
    expect(all.code).toBe(0);
    const lines = all.stdout.trimEnd().split('\n');
    for (const { id, task } of [first, second]) {
      const own = lines.filter((line) => line.startsWith(`${id} | `));
      expect(own[0]).toMatch(/=== .* iteration 1 /);
      expect(own).toContain(`${id} | I am ${task}`);
    }
    expect(lines.every((line) => [first, second].some(({ id }) => line.startsWith(`${id} | `)))).toBe(true);
    const json = (await ralph(one, ['logs', '--json'])).stdout.trim().split('\n');
    expect(new Set(json.map((line) => (JSON.parse(line) as { loop: string }).loop))).toEqual(
      new Set([first.id, second.id]),
    );
    expect((await ralph(one, ['logs', '--follow'])).stdout, 'nobody works').toBe(all.stdout);
  });

  it('trip 12: all of them are followed, also those that begin later, until the run is over', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    const waits = `while [ ! -e ${go}.$RALPH_TASK_ID ]; do sleep 0.1; done`;
    shellProject(one, `${SAYS}; ${waits}; echo; ${OWN_FILE}; ${CLAIM}`, { tasks: ['t1', 't2'] });
    const run = startRalph(one, ['run']);
    await run.waitFor(/t1 starts/);
    const logs = startRalph(one, ['logs', '-f']);
    await logs.waitFor(/^t1-\w+ \| I am t1$/m, 15_000);
    writeFileSync(`${go}.t1`, '');
    await logs.waitFor(/^t2-\w+ \| I am t2$/m);
    writeFileSync(`${go}.t2`, '');
    expect((await run.ended).code).toBe(0);
    expect((await logs.ended).stdout).toMatch(/^t2-\w+ \| <promise>COMPLETE<\/promise>$/m);
  });
});
