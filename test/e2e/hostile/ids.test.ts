import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { everything } from '../harness/fingerprint.ts';
import { landedTasks, refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const IDS = [
  '../../x',
  '-rf',
  '--upload-pack=x',
  'HEAD',
  'a b',
  'a;rm',
  '$(touch pwned)',
  '`touch pwned`',
  'x'.repeat(300),
  'auth',
  // Cyrillic a and u.
  '\u0430\u0443th',
  'CON',
  'Twin',
  'twin',
];

describe('A10 case 75: ids that want to be something else', () => {
  it('case 75 safe names, no collision, never executed, each landed once', async () => {
    const one = scratch();
    project(one, {
      tasks: { 'prd.json': JSON.stringify({ stories: IDS.map((id, n) => ({ id, title: `Task number ${n}` })) }) },
      byTask: Object.fromEntries(
        IDS.map((id, n) => [id, [{ write: { path: `made-${n}.txt`, text: `${n}` } }, { claim: true }] as const]),
      ),
      config: { parallel: { merge_policy: 'manual' } },
    });
    const home = everything(one.home);
    const outside = readdirSync(one.root).sort();
    const ran = await ralph(one, ['run', '--parallel', '--max-workers', '4', '--json']);
    expect(ran.code).toBe(0);
    expect(summaryOf(ran.stdout).ready).toEqual(IDS.toSorted());
    const branches = refsBelow(one.git, 'refs/heads/ralph/');
    expect(branches).toHaveLength(IDS.length);
    expect(new Set(branches.map((name) => name.toLowerCase())).size).toBe(IDS.length);
    for (const branch of branches) expect(branch).toMatch(/^refs\/heads\/ralph\/[a-z0-9][a-z0-9._-]{0,120}$/i);
    for (const call of starts(one)) expect(call.cwd).toMatch(/\/\.ralph\/worktrees\/[a-z0-9][a-z0-9._-]{0,120}$/i);
    const logs = readdirSync(join(one.repo, '.ralph/logs'));
    expect(new Set(logs.map((name) => name.toLowerCase())).size).toBe(logs.length);
    for (const name of logs) expect(name).toMatch(/^worker-\d+-[a-z0-9][a-z0-9._-]{0,120}\.log$/i);

    const landed = await ralph(one, ['land', '--all']);
    expect(landed.code).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toHaveLength(IDS.length);
    for (const n of IDS.keys()) expect(one.git('show', `main:made-${n}.txt`)).toBe(String(n));
    expect(everything(one.home)).toEqual(home);
    expect(readdirSync(one.root).sort()).toEqual([...outside, 'calls.ndjson'].sort());
    for (const dir of [one.repo, ...starts(one).map((call) => call.cwd)]) {
      expect(existsSync(join(dir, 'pwned'))).toBe(false);
    }
    expect(existsSync(beside(one, 'x'))).toBe(false);
  });

  it('case 75 a hostile id can be named on the command line', async () => {
    const one = scratch();
    project(one, { tasks: { 'prd.json': JSON.stringify({ stories: IDS.map((id) => ({ id, title: 'A title' })) }) } });
    for (const id of ['../../x', 'a;rm', '$(touch pwned)', 'HEAD']) {
      const { code, stdout } = await ralph(one, ['tasks', 'show', '--json', id]);
      expect(code).toBe(0);
      expect(stdout).toContain(JSON.stringify(id));
    }
    const dashed = await ralph(one, ['tasks', 'show', '--json', '--', '-rf']);
    expect(dashed.code).toBe(0);
  });
});
