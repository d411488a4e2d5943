import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { itOn } from '../../needs.ts';

import { differences, fingerprint } from './fingerprint.ts';
import { checkoutKept, invariants } from './invariants.ts';
import { isAlive, killAll, processesOf } from './processes.ts';
import { scratch } from './scratch.ts';
import { until } from './until.ts';

describe('the harness sees what it must', () => {
  it('a changed file, index, ref, hook or stash changes the fingerprint by its name', () => {
    const one = scratch();
    const before = fingerprint(one.repo);
    one.put('README.md', 'changed\n');
    one.put('.git/hooks/pre-push', '#!/bin/sh\n');
    one.git('add', 'README.md');
    one.git('branch', 'other');
    one.git('update-ref', 'refs/paralph/int/main', 'HEAD');
    one.git('branch', 'ralph/ours');
    const changed = differences(before, fingerprint(one.repo));
    expect(changed).toEqual(['file:README.md', 'git:index', 'hook:hooks/pre-push', 'ref:refs/heads/other']);
    one.git('stash', '-q');
    const stashed = differences(before, fingerprint(one.repo));
    expect(stashed).toEqual(expect.arrayContaining(['ref:refs/stash', 'git:logs/refs/stash']));
  });

  it('looking does not change what is looked at', () => {
    const one = scratch();
    const before = fingerprint(one.repo);
    one.put('README.md', readFileSync(join(one.repo, 'README.md'), 'utf8'));
    one.git('status', '--porcelain');
    expect(differences(before, fingerprint(one.repo))).toEqual([]);
  });

  it('publishing may move the branch and its files forward, nothing else', () => {
    const one = scratch();
    one.put('.env', 'MINE=1');
    const before = fingerprint(one.repo);
    const head = one.git('rev-parse', 'HEAD');
    one.put('new.txt', 'new');
    one.git('add', 'new.txt');
    one.git('commit', '-q', '-m', 'More');
    checkoutKept(one.git, before, fingerprint(one.repo), head);
    one.put('.env', 'MINE=2');
    expect(() => checkoutKept(one.git, before, fingerprint(one.repo), head)).toThrow(/\.env/);
    one.put('.env', 'MINE=1');
    const [ahead, later] = [fingerprint(one.repo), one.git('rev-parse', 'HEAD')];
    one.git('reset', '-q', '--hard', 'HEAD~1');
    expect(() => checkoutKept(one.git, ahead, fingerprint(one.repo), later)).toThrow(/forward/);
  });

  it('a task that landed twice, a candidate left over and a process left over are all noticed', async () => {
    const one = scratch();
    for (const n of [1, 2]) one.git('commit', '-q', '--allow-empty', '-m', `Land ${n}\n\nRalph-Task: twice`);
    one.git('update-ref', 'refs/paralph/int/main', 'HEAD');
    await expect(invariants(one)).rejects.toThrow(/at most once/);
    one.git('update-ref', 'refs/paralph/int/main', 'HEAD~1');
    one.git('update-ref', 'refs/paralph/cand/1', 'HEAD');
    await expect(invariants(one)).rejects.toThrow(/candidate/);
    one.git('update-ref', '-d', 'refs/paralph/cand/1');
    const child = spawn('sleep', ['600'], { env: { ...one.env, RALPH_TOKEN: 'x' }, stdio: 'ignore' });
    await until('the child', () => processesOf(one.root).some((found) => found.isLoops));
    await expect(invariants(one, 500)).rejects.toThrow(/left over/);
    killAll(one.root);
    await once(child, 'exit');
    expect(isAlive(child.pid ?? 0)).toBe(false);
    await invariants(one);
  });

  itOn('linux')('a process that is in the middle of an exec is seen with its mark and its command', async () => {
    const one = scratch();
    const file = join(one.root, 'restless');
    writeFileSync(file, `#!/bin/sh\n[ ! -e '${file}' ] || exec "$0"\n`, { mode: 0o755 });
    const child = spawn(file, { env: { ...one.env, RALPH_TOKEN: 'x' }, stdio: 'ignore' });
    const seen = (): string[] =>
      processesOf(one.root)
        .filter(({ isLoops }) => isLoops)
        .map(({ pid, command }) => `${pid} ${command}`);
    await until('the child', () => seen().length > 0);
    const looks = new Set(Array.from({ length: 50 }, () => seen().join()));
    rmSync(file);
    await once(child, 'exit');
    expect([...looks].filter((look) => !/^\d+ \S.*restless$/.test(look))).toEqual([]);
  });
});
