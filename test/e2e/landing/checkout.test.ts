import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { differences, fingerprint } from '../harness/fingerprint.ts';
import { HONEST, project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

/** Everything a person may have lying about: dirty, staged, untracked, ignored, stashed. */
function untidy(one: Scratch): void {
  one.put('README.md', 'stashed\n');
  one.git('stash', 'push', '-q', '-m', 'for later');
  one.put('dirty.txt', 'edited, not staged\n');
  one.put('staged.txt', 'staged\n');
  one.git('add', 'staged.txt');
  one.put('staged.txt', 'staged, then edited\n');
  one.put('untracked.txt', 'nobody knows\n');
  one.put('.env', 'SECRET=1\n');
}

function prepared(publish: string, agent = HONEST, tasks = ['t1', 't2']): Scratch {
  const one = scratch();
  for (const path of ['dirty.txt', 'other.txt']) one.put(path, 'as committed\n');
  one.put('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
  project(one, { tasks, agent, config: { landing: { publish } } });
  return one;
}

describe('A6 the user’s checkout', () => {
  it.each(['each', 'manual'])('A6 S1.9 on a feature branch, publish = %s: byte-identical', async (publish) => {
    const one = prepared(publish);
    one.git('checkout', '-q', '-b', 'feature');
    untidy(one);
    const before = fingerprint(one.repo);
    const main = one.git('rev-parse', 'main');
    const { code } = await ralph(one, RUN);
    expect(code).toBe(0);
    const changed = differences(before, fingerprint(one.repo));
    expect(changed).toEqual(publish === 'manual' ? [] : ['ref:refs/heads/main']);
    expect(one.git('merge-base', '--is-ancestor', main, 'refs/paralph/int/main')).toBe('');
    expect(one.git('rev-parse', 'main')).toBe(
      publish === 'manual' ? main : one.git('rev-parse', 'refs/paralph/int/main'),
    );
    expect(one.git('stash', 'list')).toContain('for later');
  });

  it('A6 on main itself, publish = end: only the landed paths change', async () => {
    const one = prepared('end');
    untidy(one);
    const before = fingerprint(one.repo);
    const status = one.git('status', '--porcelain');
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(differences(before, fingerprint(one.repo))).toEqual([
      'file:PRD.md',
      'file:t1.txt',
      'file:t2.txt',
      'git:index',
      'ref:refs/heads/main',
    ]);
    expect(one.git('status', '--porcelain')).toBe(status);
  });

  it('A6 S2.4 on main itself, publish = manual: byte-identical, the landings wait, git shows nothing of ours', async () => {
    const one = prepared('manual');
    untidy(one);
    const before = fingerprint(one.repo);
    const status = (...words: string[]): string => one.git('status', '--porcelain', ...words);
    const [all, ignored] = [status('--untracked-files=all'), status('--ignored')];
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(differences(before, fingerprint(one.repo))).toEqual([]);
    expect(one.git('show', 'refs/paralph/int/main:t1.txt')).toBe('made by t1');
    expect(status('--untracked-files=all')).toBe(all);
    expect(status('--ignored').replace('\n!! .ralph/', '')).toBe(ignored);
  });

  it('case 29: A6 files of every kind in the way block publishing and are named; once they are gone, what landed is published', async () => {
    const ways = {
      'dirty.txt': (path: string) => one.put(path, 'mine\n'),
      'other.txt': (path: string) => (one.put(path, 'mine\n'), one.git('add', path)),
      'fresh.txt': (path: string) => one.put(path, 'mine\n'),
      'folder.txt': (path: string) => one.put(`${path}/inner`, 'mine\n'),
      '.env': (path: string) => one.put(path, 'MINE=1\n'),
    };
    const paths = Object.keys(ways);
    const steps: Step[] = [
      { write: { path: '.gitignore', text: '' } },
      ...paths.map((path): Step => ({ write: { path, text: 'from the agent\n' } })),
      { claim: true },
    ];
    const one = prepared('end', steps, ['t1']);
    for (const [path, makeMess] of Object.entries(ways)) makeMess(path);
    const before = fingerprint(one.repo);
    const { code, stdout, stderr } = await ralph(one, [...RUN, '--events']);
    expect(differences(before, fingerprint(one.repo))).toEqual([]);
    expect(stdout).toContain('publish-blocked');
    expect([0, 1, 6]).toContain(code);
    for (const path of paths) {
      expect(stderr).toContain(path);
      expect(one.git('show', `refs/paralph/int/main:${path}`)).toBe('from the agent');
    }
    one.git('reset', '-q', '--hard');
    for (const path of ['fresh.txt', 'folder.txt', '.env']) rmSync(join(one.repo, path), { recursive: true });
    expect((await ralph(one, RUN)).code).toBe(0);
    for (const path of paths) expect(one.git('show', `main:${path}`)).toBe('from the agent');
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('case 19: an index.lock that a killed git left: it lands, the lock stays, and the command that removes it is told', async () => {
    const one = prepared('end', undefined, ['t1']);
    const lock = join(one.repo, '.git/index.lock');
    writeFileSync(lock, '');
    const { code, stderr } = await ralph(one, RUN);
    expect([code, existsSync(lock)], stderr).toEqual([6, true]);
    expect(one.git('show', 'refs/paralph/int/main:t1.txt')).toBe('made by t1');
    const [, remedy = ''] = /main was not moved: .*: then (rm \S+)/.exec(stderr) ?? [];
    expect(remedy).toBe(`rm ${lock}`);
    rmSync(lock);
    expect((await ralph(one, ['publish'])).code).toBe(0);
    expect(one.git('show', 'main:t1.txt')).toBe('made by t1');
  });
});
