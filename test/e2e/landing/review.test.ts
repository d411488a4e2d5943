import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitSays, refsBelow } from '../harness/git.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';
import { itNeeds } from '../../needs.ts';
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

describe('A18.10 an approval', () => {
  it('is gone once the work was red on the train: it goes back, and lands when it is approved anew', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      byTask: {
        a: {
          iterations: [
            [{ write: { path: 'a.txt', text: 'a\n' } }, { claim: true }],
            [{ write: { path: 'mended.txt', text: 'mended\n' } }, { claim: true }],
          ],
        },
      },
      config: {
        parallel: { merge_policy: 'manual' },
        gates: { commands: ['test ! -e a.txt || test ! -e clash.txt || test -e mended.txt'] },
      },
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
    one.put('clash.txt', 'mine\n');
    one.git('add', 'clash.txt');
    one.git('commit', '-qm', 'Mine');
    // A host that runs loops is alive, so that the work has somebody to go back to.
    one.put('PRD.md', `${one.git('show', 'HEAD:PRD.md')}\n- [ ] Wait <!-- id: wait -->\n`);
    one.git('commit', '-qam', 'More');
    writeScenario(one, {
      byTask: {
        a: { iterations: [[], [{ write: { path: 'mended.txt', text: 'mended\n' } }, { claim: true }]] },
        wait: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
      },
    });
    const run = startRalph(one, ['run', '--parallel']);
    await until('the other one works', () => starts(one).some(({ task }) => task === 'wait'));
    const head = headOf(one);
    const approved = await ralph(one, ['review', 'a', '--approve', '--head', head]);
    expect([approved.code, approved.stderr]).toEqual([0, expect.stringContaining('the host with process')]);
    await run.waitFor(/goes back to work/);
    await until('it was mended', () => starts(one).filter(({ task }) => task === 'a').length === 2);
    const isReady = async () => {
      const { stdout } = await ralph(one, ['review', '--list', '--json']);
      return stdout.includes('"task": "a"');
    };
    await until('it waits for a person again', isReady);
    expect(gitSays(one.git, 'cat-file', '-e', 'main:a.txt')).toBe(false);
    const stale = await ralph(one, ['review', 'a', '--approve', '--head', head]);
    expect([stale.code, stale.stderr]).toEqual([6, expect.stringContaining('E_MOVED')]);
    const branch = refsBelow(one.git, 'refs/heads/ralph/').find((ref) => ref.includes('/a-')) ?? '';
    const now = one.git('rev-parse', branch);
    expect((await ralph(one, ['review', 'a', '--approve', '--head', now])).code).toBe(0);
    await run.waitFor(/\ba landed/);
    writeFileSync(beside(one, 'go'), '');
    expect((await run.ended).code).toBe(0);
    expect(one.git('show', 'main:mended.txt')).toBe('mended');
  });

  itNeeds('tmux', hasTmux)(
    'is one key away: on a terminal ralph review opens the view at what waits longest',
    async () => {
      const one = await readyOne();
      const terminal = openTerminal(one, ['review']);
      await terminal.waitFor(/list\.txt[^]*two/);
      terminal.type('a');
      await until('it has landed', () => isLanded(one));
      terminal.type('qq');
      expect(await terminal.ended()).toBe(0);
    },
  );
});

const listedLoop = (stdout: string): string =>
  (JSON.parse(stdout) as { readonly waiting: readonly { readonly loop: string }[] }).waiting[0]?.loop ?? '';
