import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { beside, ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';
import { shellProject } from './harness/shell-agent.ts';
import { CLAIM, OWN_FILE } from './harness/train.ts';

const KEY = `sk-${'A1b2'.repeat(8)}`;

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
});
