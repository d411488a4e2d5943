import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitSays, refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import type { Step } from '../../scripted/scenario.ts';

const FIRST = 'one\ntwo\nthree\nfour\n';
const SECOND = 'one\nTWO\nthree\nFOUR\n';

const writes = (text: string): Step => ({ write: { path: 'src/list.txt', text } });

/** One loop that is ready under `manual`, and what its agent does when it is sent back. */
async function readyOne(second: readonly Step[] = [writes(SECOND), { claim: true }]): Promise<Scratch> {
  const one = scratch();
  const first: readonly Step[] = [writes(FIRST), { write: { path: 'kept.txt', text: 'kept\n' } }, { claim: true }];
  project(one, {
    tasks: ['a'],
    byTask: { a: { iterations: [first, [{ prompt: { path: beside(one, 'prompt.md') } }, ...second]] } },
    config: { parallel: { merge_policy: 'manual' } },
  });
  expect((await ralph(one, ['run'])).code).toBe(0);
  return one;
}

const headOf = (one: Scratch): string => one.git('rev-parse', refsBelow(one.git, 'refs/heads/ralph/')[0] ?? '');
const isLanded = (one: Scratch): boolean => gitSays(one.git, 'cat-file', '-e', 'main:src/list.txt');

describe('A18.10 a review', () => {
  it('sends back with remarks on lines, shows only what changed since, and lands what is approved', async () => {
    const one = await readyOne();
    const listed = await ralph(one, ['review', '--list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ waiting: [{ task: 'a', reason: 'review', reviewed: null }] });
    const seen = await ralph(one, ['review']);
    expect([seen.code, seen.stderr]).toEqual([0, expect.stringContaining('2 files +5 -0')]);
    expect(seen.stdout).toContain('+three');
    const head = headOf(one);
    expect(seen.stderr).toContain(`ralph review ${listedLoop(listed.stdout)} --approve --head ${head.slice(0, 12)}`);
    const remarks = [
      { path: 'src/list.txt', line: 2, text: 'louder, please' },
      { path: 'src/list.txt', first: 3, last: 4, text: 'and the end of it as well' },
    ];
    writeFileSync(beside(one, 'remarks.json'), JSON.stringify(remarks));
    const back = await ralph(one, ['review', 'a', '--head', head, '--comments', beside(one, 'remarks.json')]);
    expect([back.code, back.stderr]).toEqual([
      0,
      expect.stringMatching(/goes back to work with 2 comments[^]*ralph loops resume a/),
    ]);
    expect((await ralph(one, ['loops', 'resume', 'a'])).code).toBe(0);
    const prompt = readFileSync(beside(one, 'prompt.md'), 'utf8');
    for (const part of [
      'src/list.txt, line 2:',
      '    two',
      'louder, please',
      'lines 3 to 4:',
      '    three',
      '    four',
      'and the end',
    ])
      expect(prompt).toContain(part);
    expect(prompt.match(/louder, please/g)).toHaveLength(1);
    const again = await ralph(one, ['review', 'a']);
    expect(again.stderr).toContain(`1 file +2 -2 since you read ${head.slice(0, 12)}`);
    expect(again.stdout).toContain('+TWO');
    expect(again.stdout).not.toContain('kept.txt');
    expect((await ralph(one, ['review', 'a', '--whole'])).stdout).toContain('kept.txt');
    const approved = await ralph(one, ['review', 'a', '--approve', '--head', headOf(one).slice(0, 12)]);
    expect(approved.code).toBe(0);
    expect(one.git('show', 'main:src/list.txt')).toBe(SECOND.trimEnd());
    expect(starts(one)).toHaveLength(2);
  });

  it('refuses an approval of what is no longer there, by both commands, and names both commits', async () => {
    const one = await readyOne();
    const seen = headOf(one);
    one.git('branch', '-q', '-f', 'other', seen);
    const branch = refsBelow(one.git, 'refs/heads/ralph/')[0] ?? '';
    const newer = one.git('commit-tree', '-p', seen, '-m', 'Somebody else', `${seen}^{tree}`);
    one.git('update-ref', branch, newer);
    for (const words of [
      ['review', 'a', '--approve', '--head', seen],
      ['land', 'a', '--head', seen],
    ]) {
      const { code, stderr } = await ralph(one, words);
      expect([code, stderr]).toEqual([6, expect.stringMatching(new RegExp(`E_MOVED[^]*${newer}[^]*${seen}`))]);
    }
    expect(isLanded(one)).toBe(false);
    expect((await ralph(one, ['land', 'a', '--head', newer])).code).toBe(0);
    expect(isLanded(one)).toBe(true);
  });

  it('of a file that cannot be used changes nothing, and says what is wrong in it', async () => {
    const one = await readyOne();
    const given = async (text: string) => {
      writeFileSync(beside(one, 'remarks.json'), text);
      const { code, stderr } = await ralph(one, ['review', 'a', '--comments', beside(one, 'remarks.json')]);
      expect(code).toBe(3);
      return stderr;
    };
    expect(await given('[{"path": "src/list.txt", "line": 9, "text": "no"}]')).toContain('has 4 lines, and no line 9');
    expect(await given('[{"path": "gone.txt", "line": 1, "text": "no"}]')).toContain('no text file gone.txt');
    expect(await given('[{"line": 1}]')).toContain('comment 1: has no "text"');
    expect(await given('[{"text": "a"},]')).toMatch(/line 1, column \d+/);
    expect(JSON.parse((await ralph(one, ['review', '--list', '--json'])).stdout)).toMatchObject({
      waiting: [{ task: 'a' }],
    });
  });

  it('shows what deletes a test or decides for others before the rest', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      files: { 'zz/test/old.test.ts': 'it works\n', 'check.sh': 'true\n' },
      agent: [
        { write: { path: 'aa.txt', text: 'a\n' } },
        { remove: { path: 'zz/test/old.test.ts' } },
        { append: { path: 'check.sh', text: 'true\n' } },
        { claim: true },
      ],
      config: { parallel: { merge_policy: 'manual' }, gates: { commands: ['sh check.sh'] } },
    });
    await ralph(one, ['run']);
    const { stdout, stderr } = await ralph(one, ['review', 'a']);
    expect(stderr).toMatch(/! check\.sh: later gates[^]*! zz\/test\/old\.test\.ts: a test is deleted/);
    const order = ['check.sh', 'zz/test/old.test.ts', 'aa.txt'].map((path) => stdout.indexOf(`diff --git a/${path}`));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order.toSorted((x, y) => x - y)).toEqual(order);
  });

  it('is a person’s word: refused inside a loop, and where the words contradict each other', async () => {
    const one = await readyOne([{ claim: true }]);
    for (const words of [
      ['review', 'a', '--approve', '-m', 'no'],
      ['review', '--approve'],
      ['review', 'a', '--changes'],
    ])
      expect((await ralph(one, words)).code).toBe(2);
    const inside = await ralph(one, ['review', 'a', '--approve'], {
      env: { RALPH_LOOP_ID: 'a', RALPH_ITERATION: '1' },
    });
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('E_NESTED')]);
    expect(isLanded(one)).toBe(false);
  });
});

const listedLoop = (stdout: string): string =>
  (JSON.parse(stdout) as { readonly waiting: readonly { readonly loop: string }[] }).waiting[0]?.loop ?? '';
