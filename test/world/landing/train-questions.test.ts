import { afterEach, describe, expect, it } from 'vitest';
import { loopId, sha, taskId } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { landingMessage } from '../../../src/text/commit-message.ts';
import { doneSince } from '../../../src/world/landing/upstream-tasks.ts';
import { lookAhead } from '../../../src/world/landing/ahead.ts';
import { mayTrackBelow } from '../../../src/world/git/run/nested-programs.ts';
import { isAncestor, mergeBases } from '../../../src/world/git/merge/merge.ts';
import { OPEN_TASKS, TASKS, built, candidateScene, order } from './candidate-scene.ts';
import type { Scene } from './candidate-scene.ts';

const made: Scene[] = [];
afterEach(() => {
  for (const scene of made.splice(0)) scene.remove();
});

async function scene(): Promise<Scene> {
  const one = await candidateScene({ 'a.txt': 'a\n' });
  made.push(one);
  return one;
}

/** As `git gc` leaves them: nothing can be read without git. */
const pack = ({ git }: Scene): string => git('repack', '-q', '-a', '-d');

describe('a train of packed branches', () => {
  it.each([2, 4])('asks about the task file once, whether of two or of four (%i)', async (count) => {
    const one = await scene();
    const names = ['one', 'two', 'three', 'four'].slice(0, count);
    const heads = names.map((name) => one.branch(name, { [`${name}.txt`]: name }));
    const base = one.branch('moved', { 'b.txt': 'b\n' });
    pack(one);
    await lookAhead(one.view, base, heads);
    one.calls.splice(0);
    let last: Sha = base;
    for (const [at, head] of heads.entries()) {
      const more = { under: base, tick: taskId(names[at] ?? ''), envelopeLater: true };
      last = built(await one.candidates.build(order(last, head, more))).commit;
    }
    const merges = one.calls.filter((call) => call === 'merge-tree');
    expect(merges).toHaveLength(count);
    const rest = one.calls.filter((call) => call !== 'merge-tree');
    expect(rest.filter((call) => call === 'ls-tree')).toHaveLength(1);
    expect(rest.length, rest.join(' ')).toBeLessThan(5);
    expect(one.show(last, TASKS)).toBe(
      names.reduce((text, name) => text.replace(`[ ] ${name}\n`, `[x] ${name}\n`), OPEN_TASKS),
    );
  });

  it('still takes what a branch wrote beside the tasks, and no box of it', async () => {
    const one = await scene();
    const mine = `${OPEN_TASKS.replaceAll('[ ]', '[x]')}\nHow it works.\n`;
    const [first, second] = [one.branch('one', { 'b.txt': 'b\n' }), one.branch('two', { [TASKS]: mine })];
    pack(one);
    const under = one.start;
    const { commit } = built(await one.candidates.build(order(under, first, { under, tick: taskId('one') })));
    const after = built(await one.candidates.build(order(commit, second, { under, tick: taskId('two') }))).commit;
    const ticked = OPEN_TASKS.replace('[ ] one', '[x] one').replace('[ ] two', '[x] two');
    expect(one.show(after, TASKS)).toBe(`${ticked}\nHow it works.\n`);
  });
});

describe('what was landed lately', () => {
  it('is known to follow on what was there before without a process', async () => {
    const { view, calls, branch, candidates, start } = await scene();
    const { commit } = built(
      await candidates.build(order(branch('base', { 'b.txt': 'b\n' }), branch('one', { 'c.txt': 'c\n' }))),
    );
    calls.splice(0);
    expect(await isAncestor(view, start, commit)).toBe(true);
    expect([await mergeBases(view, commit, start), await mergeBases(view, start, commit)]).toEqual([[start], [start]]);
    expect(calls).toEqual([]);
    expect(await isAncestor(view, commit, start)).toBe(false);
    expect(await isAncestor(view, branch('other', { 'd.txt': 'd\n' }), commit)).toBe(false);
    expect(calls).toEqual(['merge-base']);
  });
});

const landing = (task: string, loop = `${task}-theirs`): string =>
  landingMessage({
    task,
    title: `Do ${task}`,
    tracker: TASKS,
    loop,
    branch: `ralph/${loop}`,
    head: 'f'.repeat(40),
    agent: 'claude',
    attempt: 1,
    iterations: 1,
    target: 'main',
    template: '{{title}}',
  });

describe('what others did since', () => {
  it('is asked once for all who wait, each from where it began', async () => {
    const { view, calls, git, write, commit, start } = await scene();
    git('switch', '-q', 'main');
    const early = sha(commit(landing('one')));
    write(TASKS, OPEN_TASKS.replace('[ ] three', '[x] three'));
    commit('Tick three by hand');
    commit(landing('two', 'two-ours'));
    const to = sha(git('rev-parse', 'HEAD'));
    const ask = (
      names: readonly (readonly [string, Sha])[],
      known: Sha | null = null,
    ): ReturnType<typeof doneSince> => {
      calls.splice(0);
      const tasks = names.map(([task, from]) => ({ task: taskId(task), tracker: TASKS, from }));
      return doneSince(view, { to, known, tasks, own: [], isOurs: (id) => id === loopId('two-ours') });
    };
    expect(
      await ask([
        ['two', start],
        ['four', start],
        ['five', start],
      ]),
    ).toEqual([null, null, null]);
    expect(calls).toEqual(['log']);
    const answers = await ask([
      ['one', start],
      ['one', early],
      ['two', early],
      ['three', start],
      ['three', to],
    ]);
    expect(answers).toEqual([{ commit: early }, null, null, { commit: null }, null]);
    expect(await ask([['one', start]], to)).toEqual([null]);
    expect(calls).toEqual([]);
  });
});

describe('an index', () => {
  it('tells whether git may know files of a folder, and leaves it to git where it cannot', async () => {
    const { dir, git, write, commit } = await scene();
    expect(mayTrackBelow(dir, '.agent')).toBe(false);
    git('update-index', '--index-version', '4');
    expect(mayTrackBelow(dir, '.agent')).toBe(true);
    git('update-index', '--index-version', '2');
    git('update-index', '--split-index');
    expect(mayTrackBelow(dir, '.agent')).toBe(true);
    git('update-index', '--no-split-index');
    expect(mayTrackBelow(dir, '.agent')).toBe(false);
    write('.agent/memories.md', 'mine\n');
    commit('Theirs');
    expect(mayTrackBelow(dir, '.agent')).toBe(true);
  });
});
