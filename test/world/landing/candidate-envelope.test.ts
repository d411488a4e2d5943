import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha, taskId } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { assertEnvelope, checkEnvelopes } from '../../../src/world/landing/envelope.ts';
import { lookAhead } from '../../../src/world/landing/ahead.ts';
import { isAncestor, mergeBases } from '../../../src/world/git/merge/merge.ts';
import { treeOf } from '../../../src/world/git/objects/trees.ts';
import { TASKS, built, candidateScene, order } from './candidate-scene.ts';
import type { Scene } from './candidate-scene.ts';

const made: Scene[] = [];
afterEach(() => {
  for (const scene of made.splice(0)) scene.remove();
});

async function scene(files: Readonly<Record<string, string>>): Promise<Scene> {
  const one = await candidateScene(files);
  made.push(one);
  return one;
}

/** The assertion alone, about a commit somebody else made. */
async function check(one: Scene, base: Sha, head: Sha, commit: Sha, besides: readonly string[] = []): Promise<void> {
  const ancestors = await mergeBases(one.view, base, head);
  await assertEnvelope(one.view, { base, head, ancestors, commit, besides });
}

const numbers = Array.from({ length: 30 }, (_, at) => `${at}\n`).join('');

describe('what a landing may change', () => {
  it('is what its branch changed: a commit that takes back or adds something else is refused, with the names', async () => {
    const one = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const base = one.branch('base', { 'a.txt': 'theirs\n' });
    const head = one.branch('head', { 'b.txt': 'ours\n' });
    // Made of the branch alone, as if the base had never changed anything.
    const back = sha(one.git('commit-tree', '-p', base, '-p', head, '-m', 'wrong', `${head}^{tree}`));
    await expect(check(one, base, head, back)).rejects.toMatchObject({
      code: 'E_ENVELOPE',
      facts: ['a.txt'],
      remedy: `git diff --stat ${base} ${back}`,
    });
    const more = one.branch('more', { 'b.txt': 'ours\n', 'ä\nö.txt': 'x' }, base);
    await expect(check(one, base, head, more)).rejects.toMatchObject({ facts: ['ä\nö.txt'] });
    await check(one, base, head, more, ['ä\nö.txt']);
    const right = built(await one.candidates.build(order(base, head)));
    await check(one, base, head, right.commit);
  });

  it('is looked at for a whole train at once: the one that strays is named, also if a file is called like a commit', async () => {
    const one = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const base = one.branch('base', { 'a.txt': 'theirs\n' });
    const first = one.branch('first', { 'b.txt': 'ours\n' });
    const second = one.branch('second', { [first]: 'a name like a commit' });
    const c1 = built(await one.candidates.build(order(base, first))).commit;
    const wrong = sha(one.git('commit-tree', '-p', c1, '-p', second, '-m', 'wrong', `${second}^{tree}`));
    const right = built(await one.candidates.build(order(c1, second, { under: base }))).commit;
    const empty = sha(one.git('commit-tree', '-p', right, '-m', 'nothing', `${right}^{tree}`));
    const envelope = async (from: Sha, head: Sha, commit: Sha) => ({
      base: from,
      head,
      ancestors: await mergeBases(one.view, from, head),
      commit,
      besides: [],
    });
    const all = [
      await envelope(base, first, c1),
      await envelope(right, second, empty),
      await envelope(c1, second, wrong),
    ];
    const found = await checkEnvelopes(one.view, all);
    expect(found.map((stray) => stray.commit)).toEqual([wrong]);
    expect(found[0]?.why).toMatch(/a\.txt.*b\.txt/);
    expect(
      await checkEnvelopes(one.view, [await envelope(base, first, c1), await envelope(c1, second, right)]),
    ).toEqual([]);
  });

  it('is told apart by the bytes of the names', async () => {
    const one = await scene({ a: 'a\n' });
    const blob = one.git('rev-parse', 'HEAD:a');
    const index = join(one.dir, '.git/aside');
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', args, {
        cwd: one.dir,
        env: { ...process.env, GIT_INDEX_FILE: index },
        input: Buffer.from(input, 'latin1'),
      })
        .toString()
        .trim();
    const commitWith = (name: string, from: Sha): Sha => {
      rmSync(index, { force: true });
      git(['read-tree', from]);
      git(['update-index', '-z', '--index-info'], `100644 ${blob}\t${name}\0`);
      return sha(git(['commit-tree', '-p', from, '-m', 'x', git(['write-tree'])]));
    };
    const base = one.branch('base', { b: 'b\n' });
    const head = commitWith('odd-\xff', one.start);
    await expect(check(one, base, head, commitWith('odd-\xfe', base))).rejects.toMatchObject({ code: 'E_ENVELOPE' });
    built(await one.candidates.build(order(base, head)));
  });

  it('follows a file that was renamed meanwhile', async () => {
    const one = await scene({ 'old.txt': numbers, 'folder/x.txt': `x${numbers}` });
    one.git('switch', '-qc', 'moved', one.start);
    one.git('mv', 'old.txt', 'new.txt');
    one.git('mv', 'folder/x.txt', 'folder/y.txt');
    const base = sha(one.commit('moved'));
    const head = one.branch('head', { 'old.txt': numbers.replace('15\n', 'changed\n') });
    const landing = built(await one.candidates.build(order(base, head)));
    expect(one.show(landing.commit, 'new.txt')).toContain('changed');
    const wrong = one.branch('wrong', { 'new.txt': 'x', 'folder/y.txt': 'x' }, base);
    await expect(check(one, base, head, wrong)).rejects.toMatchObject({ facts: ['folder/y.txt'] });
  });

  it('holds where two histories have crossed', async () => {
    const one = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const [left, right] = [one.branch('l', { 'a.txt': 'A\n' }), one.branch('r', { 'b.txt': 'B\n' })];
    const crossed = (onto: Sha, with_: Sha): Sha => {
      one.git('switch', '-q', '--detach', onto);
      one.git('merge', '-q', '--no-edit', with_);
      return sha(one.git('rev-parse', 'HEAD'));
    };
    const base = one.branch('base', { 'c.txt': 'C\n' }, crossed(left, right));
    const head = one.branch('head', { 'd.txt': 'D\n' }, crossed(right, left));
    expect(await mergeBases(one.view, base, head)).toHaveLength(2);
    const landing = built(await one.candidates.build(order(base, head)));
    expect(one.git('diff', '--name-only', base, landing.commit)).toBe('d.txt');
  });
});

describe('a candidate', () => {
  it('has the same tree by every method, also when a conflict was settled', async () => {
    const one = await scene({ 'CHANGELOG.md': 'top\n', 'a.txt': 'a\n' });
    const base = one.branch('base', { 'CHANGELOG.md': 'top\nbase\n' });
    const clean = one.branch('clean', { 'b.txt': 'b\n' }, one.branch('c1', { 'a.txt': 'A\n' }));
    const union = one.branch('union', { 'b.txt': 'b\n' }, one.branch('u1', { 'CHANGELOG.md': 'top\nhead\n' }));
    for (const [head, rebased] of [
      [clean, 2],
      [union, 1],
    ] as const) {
      const ways = (['merge', 'squash', 'rebase'] as const).map(async (method) =>
        built(await one.candidates.build(order(base, head, { method, tick: taskId('one') }))),
      );
      const [merge, squash, rebase] = await Promise.all(ways);
      expect(new Set([merge?.tree, squash?.tree, rebase?.tree]).size).toBe(1);
      const parents = (commit = ''): string => one.git('show', '-s', '--format=%P', commit);
      expect(parents(merge?.commit)).toBe(`${base} ${head}`);
      expect(parents(squash?.commit)).toBe(base);
      expect(one.git('rev-list', '--count', `${base}..${rebase?.commit}`)).toBe(String(rebased));
    }
  });

  it('comes about in a repository with sha256 ids as well', async () => {
    const one = await candidateScene({ 'CHANGELOG.md': 'top\n' }, { init: ['--object-format=sha256'] });
    made.push(one);
    const base = one.branch('base', { 'CHANGELOG.md': 'top\nbase\n' });
    const head = one.branch('head', { 'CHANGELOG.md': 'top\nhead\n', 'b.txt': 'b\n' });
    const landing = built(await one.candidates.build(order(base, head)));
    expect(one.git('diff', '--name-only', base, landing.commit)).toBe('CHANGELOG.md\nb.txt');
    const wrong = one.branch('wrong', { 'a.txt': 'x' }, base);
    await expect(check(one, base, head, wrong)).rejects.toMatchObject({ code: 'E_ENVELOPE', facts: ['a.txt'] });
  });

  it('of a branch that is ahead is that branch, but for the tracker', async () => {
    const one = await scene({ 'a.txt': 'a\n' });
    const head = one.branch('head', { 'a.txt': 'A\n', [TASKS]: 'what the branch made of it\n' });
    const plain = built(await one.candidates.build(order(one.start, head)));
    expect(plain.tree).toBe(one.git('rev-parse', `${head}^{tree}`));
    const landing = built(await one.candidates.build(order(one.start, head, { tick: taskId('one') })));
    expect(one.git('diff', '--name-only', head, landing.commit)).toBe(TASKS);
    expect(one.show(landing.commit, TASKS)).toBe('- [x] one\n- [ ] two\n- [ ] three\n');
  });

  it('does not come about when the base deleted the tracker and the branch changed it', async () => {
    const one = await scene({ 'a.txt': 'a\n' });
    one.git('switch', '-qc', 'base', one.start);
    one.git('rm', '-q', TASKS);
    const base = sha(one.commit('gone'));
    const head = one.branch('head', { [TASKS]: 'mine\n' });
    const result = await one.candidates.build(order(base, head, { tick: taskId('one') }));
    expect(result).toEqual({ conflicts: [TASKS] });
  });

  it('takes no more of git than it needs', async () => {
    const one = await scene({ 'a.txt': 'a\n' });
    const base = one.branch('base', { 'a.txt': 'A\n' });
    const callsFor = async (from: Sha, head: Sha, under: Sha, envelopeLater = false): Promise<readonly string[]> => {
      one.calls.splice(0);
      built(await one.candidates.build(order(from, head, { under, tick: taskId('one'), envelopeLater })));
      return [...one.calls].sort();
    };
    // The base is where the branch started: nothing is merged, and nothing can differ.
    const ahead = await callsFor(one.start, one.branch('ahead', { 'b.txt': 'b\n' }), one.start);
    expect(ahead).toEqual(['rev-parse']);
    const known = one.branch('known', { 'b.txt': 'B\n' });
    // As whoever tested the branch by itself has asked.
    await isAncestor(one.view, one.start, known);
    await treeOf(one.view, known);
    expect(await callsFor(one.start, known, one.start)).toEqual([]);
    const envelope = ['diff-tree', 'merge-base'];
    const attributes = ['diff-tree'];
    const first = await callsFor(base, one.branch('first', { 'c.txt': 'c\n' }), base);
    expect(first).toEqual([...attributes, ...envelope, 'merge-tree'].sort());
    const second = await callsFor(base, one.branch('second', { 'd.txt': 'd\n' }), base);
    expect(second).toEqual([...envelope, 'merge-tree'].sort());
    // On a train everything but the merge itself is asked for all at once.
    const third = one.branch('third', { 'e.txt': 'e\n' });
    await lookAhead(one.view, base, [third]);
    expect(await callsFor(base, third, base, true)).toEqual(['merge-tree']);
    one.calls.splice(0);
    expect(await one.candidates.checkEnvelopes()).toEqual([]);
    expect(one.calls).toEqual(['diff-tree']);
    expect(await one.candidates.checkEnvelopes()).toEqual([]);
    expect(one.calls).toEqual(['diff-tree']);
  });
});
