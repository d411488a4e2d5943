import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha, taskId } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { OPEN_TASKS, TASKS, built, candidateScene, order } from './candidate-scene.ts';
import type { Scene, SceneOptions } from './candidate-scene.ts';

const made: Scene[] = [];
afterEach(() => {
  for (const scene of made.splice(0)) scene.remove();
});

async function scene(files: Readonly<Record<string, string>>, options?: SceneOptions): Promise<Scene> {
  const one = await candidateScene(files, options);
  made.push(one);
  return one;
}

const LOG = 'CHANGELOG.md';

describe('files whose lines are all kept', () => {
  it('take the entries of three branches, one landing after the other', async () => {
    const { candidates, branch, start, show } = await scene({ [LOG]: '# Changes\n\n- first\n' });
    let base = start;
    for (const name of ['one', 'two', 'three']) {
      const head = branch(name, { [LOG]: `# Changes\n\n- ${name}\n- first\n`, [`${name}.txt`]: name });
      const landing = built(await candidates.build(order(base, head, { under: start, tick: taskId(name) })));
      expect(landing.resolved).toEqual(base === start ? [] : [LOG]);
      base = landing.commit;
    }
    expect(show(base, LOG)).toBe('# Changes\n\n- one\n- two\n- three\n- first\n');
    expect(show(base, TASKS)).toBe(OPEN_TASKS.replaceAll('[ ]', '[x]'));
    expect(show(base, 'two.txt')).toBe('two');
  });

  it('hold a line that both sides added once', async () => {
    const { candidates, branch, show } = await scene({ [LOG]: 'top\n' });
    const base = branch('l', { [LOG]: 'top\nsame\nleft\n' });
    const landing = built(await candidates.build(order(base, branch('r', { [LOG]: 'top\nsame\nright\n' }))));
    expect(show(landing.commit, LOG)).toBe('top\nsame\nleft\nright\n');
  });

  it('may be new on both sides, and keep the ends of their lines', async () => {
    const { candidates, branch, show } = await scene({}, { merge: { union: ['docs/**/*.md'] } });
    const path = 'docs/für alle/a\nb.md';
    const base = branch('l', { [path]: 'eins\r\nlinks\r\n' });
    const landing = built(await candidates.build(order(base, branch('r', { [path]: 'eins\r\nrechts\r\nohne Ende' }))));
    expect(landing.resolved).toEqual([path]);
    expect(show(landing.commit, path)).toBe('eins\r\nlinks\r\nrechts\r\nohne Ende');
  });

  it('are told apart from files elsewhere', async () => {
    const { candidates, branch } = await scene({ [LOG]: 'a\n', 'docs/CHANGELOG.md': 'a\n', docs2: 'a\n' });
    const files = (side: string) => ({ [LOG]: `${side}\n`, 'docs/CHANGELOG.md': `${side}\n`, docs2: `${side}\n` });
    const result = await candidates.build(order(branch('l', files('l')), branch('r', files('r'))));
    expect(result).toEqual({ conflicts: ['docs/CHANGELOG.md', 'docs2'] });
  });

  it('are not a file in the place of a folder that leads to them', async () => {
    const { candidates, branch } = await scene({ docs: 'a\n' }, { merge: { union: ['docs/LOG.md'] } });
    const result = await candidates.build(order(branch('l', { docs: 'l\n' }), branch('r', { docs: 'r\n' })));
    expect(result).toEqual({ conflicts: ['docs'] });
  });

  it('are text: others stay in conflict', async () => {
    const { candidates, branch } = await scene({ [LOG]: 'a\0b\n' });
    const result = await candidates.build(order(branch('l', { [LOG]: 'l\0b\n' }), branch('r', { [LOG]: 'r\0b\n' })));
    expect(result).toEqual({ conflicts: [LOG] });
  });

  it('are text also where git looks no further', async () => {
    const long = 'x'.repeat(20_000);
    const { candidates, branch } = await scene({ [LOG]: `a\n${long}\0` });
    const [left, right] = [branch('l', { [LOG]: `l\n${long}\0` }), branch('r', { [LOG]: `r\n${long}\0` })];
    expect(await candidates.build(order(left, right))).toEqual({ conflicts: [LOG] });
  });

  it('have one mode all along: otherwise they stay in conflict', async () => {
    const { candidates, dir, git, start, write, commit } = await scene({ [LOG]: 'a\n' });
    const side = (name: string, mode: number): Sha => {
      git('switch', '-qc', name, start);
      write(LOG, `${name}\n`);
      chmodSync(join(dir, LOG), mode);
      return sha(commit(name));
    };
    const [plain, one, other] = [side('plain', 0o644), side('one', 0o755), side('other', 0o755)];
    expect(await candidates.build(order(plain, one))).toEqual({ conflicts: [LOG] });
    expect(await candidates.build(order(one, other))).toEqual({ conflicts: [LOG] });
  });

  it('are not the tracker, whatever the patterns say', async () => {
    const { candidates, branch, show } = await scene({}, { merge: { union: ['**'] } });
    const [base, head] = [branch('l', { [TASKS]: '- [ ] one\n- l\n' }), branch('r', { [TASKS]: '- [ ] one\n- r\n' })];
    const landing = built(await candidates.build(order(base, head, { tick: taskId('one') })));
    expect(landing.resolved).toEqual([]);
    expect(show(landing.commit, TASKS)).toBe('- [x] one\n- l\n');
  });

  it('do not come back when one side deleted them, or follow a name that became a folder', async () => {
    const numbers = Array.from({ length: 30 }, (_, at) => `${at}\n`).join('');
    const { candidates, branch, git, start, write, commit } = await scene(
      { [LOG]: 'a\n', 'old.md': numbers },
      { merge: { union: ['**'] } },
    );
    git('switch', '-qc', 'gone', start);
    git('rm', '-q', LOG);
    git('mv', 'old.md', 'new');
    write('new', numbers.replace('15\n', 'left\n'));
    const gone = sha(commit('gone'));
    const changed = branch('changed', {
      [LOG]: 'b\n',
      'old.md': numbers.replace('15\n', 'right\n'),
      'new/below': 'x\n',
    });
    const result = await candidates.build(order(gone, changed));
    expect(result).toMatchObject({ conflicts: [LOG, expect.stringMatching(/^new~/)] });
  });
});

describe('attributes', () => {
  it('committed by the branch neither run anything nor change what is merged', async () => {
    const { candidates, branch, git, show, dir, start } = await scene({ 'a.txt': 'a\n', [LOG]: 'a\n' });
    // A driver needs a setting; somebody who can write the one can write the other.
    git('config', 'merge.evil.driver', `touch '${join(dir, 'ran')}'; false`);
    git('config', 'filter.evil.clean', `touch '${join(dir, 'ran')}'; cat`);
    const base = branch('l', { [LOG]: 'a\nl\n', 'a.txt': 'a\nl\n' });
    git('config', '--unset', 'filter.evil.clean');
    const head = branch('r', { [LOG]: 'a\nr\n', '.gitattributes': '* merge=evil filter=evil\n' });
    git('config', 'filter.evil.clean', `touch '${join(dir, 'ran')}'; cat`);
    const landing = built(await candidates.build(order(base, head)));
    expect(show(landing.commit, LOG)).toBe('a\nl\nr\n');
    const second = branch('s', { 'a.txt': 'a\ns\n' });
    // On top of it the attributes still are those of integration.
    const next = await candidates.build(order(landing.commit, second, { under: start }));
    expect(next).toEqual({ conflicts: ['a.txt'] });
    const union = branch('u', { 'a.txt': 'a\nu\n', '.gitattributes': '* merge=union\n' });
    expect(await candidates.build(order(base, union))).toEqual({ conflicts: ['a.txt'] });
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
  });
});
