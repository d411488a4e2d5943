import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { HONEST, project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { say, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { again, why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
/** Both begin on the same base. */
const meet = (one: Scratch, other: string): readonly Step[] => [say(one), wait(one, `here-${other}`)];

describe('ralph why', () => {
  it('tells of what landed, what waits and what is blocked, by a beginning too, and not of what is not there', async () => {
    const one = scratch();
    project(one, {
      tasks: {
        'PRD.md':
          '## Tasks\n\n- [ ] One <!-- id: one -->\n- [ ] Two <!-- id: two -->\n  - Depends on: never\n- [-] Never <!-- id: never -->\n- [x] Old <!-- id: old -->\n',
      },
    });
    expect((await why(one, 'one')).sentences[0]).toMatch(/has not started/);
    await ralph(one, RUN);
    expect(await why(one, 'one')).toMatchObject({
      state: 'landed',
      next: expect.stringMatching(/^git show /),
      reproduce: null,
    });
    expect((await why(one, 'two')).sentences[0]).toMatch(/has not started: waits for never/);
    expect((await why(one, 'never')).sentences[0]).toMatch(/blocked/);
    expect((await why(one, 'old')).sentences[0]).toMatch(/done/);
    expect((await ralph(one, ['why', 'on'])).stdout).toMatch(/^one: One \(landed\)/);
    expect((await ralph(one, ['why', 'gamma'])).code).toBe(2);
    expect((await ralph(one, ['why'])).code).toBe(2);
  });

  it('a gate that stays red: shows its end, and a command that shows the same', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: [{ append: { path: 'x.txt', text: 'x' } }, { claim: true }],
      config: { gates: { commands: ['echo the reason is here; test ! -e x.txt'] }, limits: { iterations: 2 } },
    });
    expect((await ralph(one, RUN)).code).toBe(1);
    const told = await why(one, 't1');
    expect(told).toMatchObject({
      state: 'parked',
      reason: 'iterations',
      next: expect.stringMatching(/^ralph loops resume t1-/),
    });
    expect(told.gate).toMatchObject({ command: 'echo the reason is here; test ! -e x.txt' });
    expect(told.gate?.tail).toContain('the reason is here');
    expect(told.sentences.join('\n')).toMatch(/made 2 iterations on ralph\/t1-/);
    const shown = again(one, told.reproduce);
    expect(shown.status).not.toBe(0);
    expect(shown.stdout).toContain('the reason is here');
    const { stdout } = await ralph(one, ['why', 't1']);
    // Where its agent worked, what it left ignored could turn the same gate green.
    expect(stdout).toContain('to see it again: d=$(mktemp -d) && git worktree add --detach "$d" ');
  });

  it('a conflict: names the path, and the command shows it', async () => {
    const one = scratch();
    const write = (text: string) => [{ write: { path: 'same.txt', text } }, { claim: true } as const];
    project(one, {
      tasks: ['t1', 't2'],
      byTask: { t1: [...meet(one, 't2'), ...write('one\n')], t2: [...meet(one, 't1'), ...write('two\n')] },
      config: { 'parallel.conflict_resolution': { strategy: 'stop' } },
    });
    await ralph(one, RUN);
    const [told] = [await why(one, 't1'), await why(one, 't2')].filter((each) => each.state === 'parked');
    expect(told).toMatchObject({ reason: 'conflict', next: expect.any(String) });
    expect(told?.sentences[0]).toMatch(/does not merge.*same\.txt/);
    const shown = again(one, told?.reproduce ?? null);
    expect(shown.status).toBe(1);
    expect(shown.stdout).toContain('same.txt');
  });

  it('red only together with what landed: says that main is green without it, and shows it', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1', 't2'],
      byTask: { t1: [...meet(one, 't2'), ...HONEST], t2: [...meet(one, 't1'), ...HONEST] },
      config: {
        gates: { commands: ['test ! -e t1.txt || test ! -e t2.txt'] },
        parallel: { max_workers: 2 },
        landing: { max_attempts: 0 },
      },
    });
    await ralph(one, RUN);
    const [told] = [await why(one, 't1'), await why(one, 't2')].filter((each) => each.state === 'parked');
    expect(told).toMatchObject({ reason: 'red' });
    expect(told?.sentences[0]).toMatch(/without it main is green/);
    expect(again(one, told?.reproduce ?? null).status).not.toBe(0);
  });
});
