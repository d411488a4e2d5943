import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { openResolutions } from '../../../src/world/git/merge/resolutions.ts';
import { built, candidateScene, order } from './candidate-scene.ts';
import type { Scene } from './candidate-scene.ts';

const made: Scene[] = [];
afterEach(() => {
  for (const scene of made.splice(0)) scene.remove();
});

const NAMES = ['plain.txt', 'with space/größe\nnewline.txt', ':(top)magic'];
const all = (text: string) => Object.fromEntries(NAMES.map((name) => [name, `${name}\n${text}`]));

async function scene(files: Readonly<Record<string, string>> = all('a\n')): Promise<Scene> {
  const one = await candidateScene(files);
  made.push(one);
  return one;
}

const folderOf = (one: Scene): string => join(one.dir, '.git/paralph/resolutions');

describe('resolutions', () => {
  it('are used when the same contents meet again, whichever side they come from, in this process and the next', async () => {
    const one = await scene();
    const [left, right] = [one.branch('l', all('l\n')), one.branch('r', all('r\n'))];
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: [...NAMES].sort() });
    const resolved = one.branch('resolved', all('both\r\n'));
    await one.candidates.learn({ ours: left, theirs: right, resolved });
    for (const candidates of [one.candidates, one.reopen()])
      for (const [base, head] of [
        [left, right],
        [right, left],
      ] as const) {
        const landing = built(await candidates.build(order(base, head)));
        expect([...landing.resolved].sort()).toEqual([...NAMES].sort());
        for (const name of NAMES) expect(one.show(landing.commit, name)).toBe(`${name}\nboth\r\n`);
      }
    const other = one.branch('other', { 'plain.txt': 'other\n' });
    expect(await one.candidates.build(order(left, other))).toEqual({ conflicts: ['plain.txt'] });
  });

  it('survive that git collects what nothing names', async () => {
    const one = await scene();
    const [left, right] = [one.branch('l', all('l\n')), one.branch('r', all('r\n'))];
    await one.candidates.learn({ ours: left, theirs: right, resolved: one.branch('resolved', all('both\n')) });
    one.git('branch', '-qD', 'resolved');
    one.git('reflog', 'expire', '--expire=now', '--all');
    one.git('gc', '-q', '--prune=now');
    const landing = built(await one.candidates.build(order(left, right)));
    expect(one.show(landing.commit, 'plain.txt')).toBe('plain.txt\nboth\n');
    expect(one.git('fsck', '--connectivity-only', '--no-dangling', landing.commit)).toBe('');
  });

  it('are not learnt from files with markers, other bytes, another mode, or files that are gone', async () => {
    const names = ['kept', 'markers', 'longer', 'binary', 'mode', 'gone'];
    const files = (text: string) => Object.fromEntries(names.map((name) => [name, `${name} ${text}`]));
    const one = await scene(files('a\n'));
    const [left, right] = [one.branch('l', files('l\n')), one.branch('r', files('r\n'))];
    one.git('switch', '-qc', 'resolved', one.start);
    one.write('kept', 'A heading\n=======\nkept\n');
    one.write('markers', '<<<<<<< l\nl\n=======\nr\n>>>>>>> r\n');
    one.write('longer', 'l\r\n>>>>>>>>>> r\r\n');
    one.write('binary', 'a\0b');
    one.git('add', '-A');
    one.git('update-index', '--chmod=+x', 'mode');
    one.git('rm', '-qf', 'gone');
    one.git('commit', '-qm', 'resolved');
    const resolved = sha(one.git('rev-parse', 'HEAD'));
    await one.candidates.learn({ ours: left, theirs: right, resolved });
    const wanted = names.filter((name) => name !== 'kept').sort();
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: wanted });
  });

  it('are not learnt from two answers to the same question', async () => {
    const one = await scene({ x: 'a\n', y: 'a\n' });
    const [left, right] = [one.branch('l', { x: 'l\n', y: 'l\n' }), one.branch('r', { x: 'r\n', y: 'r\n' })];
    await one.candidates.learn({ ours: left, theirs: right, resolved: one.branch('two', { x: 'x\n', y: 'y\n' }) });
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: ['x', 'y'] });
  });

  it('are about text alone: files of other kinds and modes teach nothing and are never settled', async () => {
    const one = await scene({ bin: 'a\0\n', mode: 'a\n' });
    const left = one.branch('l', { bin: 'l\0\n', mode: 'l\n' });
    one.git('switch', '-qc', 'r', one.start);
    one.write('bin', 'r\0\n');
    one.write('mode', 'r\n');
    one.git('add', '-A');
    one.git('update-index', '--chmod=+x', 'mode');
    one.git('commit', '-qm', 'r');
    const right = sha(one.git('rev-parse', 'HEAD'));
    one.git('reset', '-q', '--hard');
    await one.candidates.learn({ ours: left, theirs: right, resolved: one.branch('both', { bin: 'b', mode: 'b\n' }) });
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: ['bin', 'mode'] });
  });

  it('are not used when their file was damaged', async () => {
    const one = await scene({ f: 'a\n' });
    const [left, right] = [one.branch('l', { f: 'l\n' }), one.branch('r', { f: 'r\n' })];
    await one.candidates.learn({ ours: left, theirs: right, resolved: one.branch('both', { f: 'both\n' }) });
    const [name = ''] = readdirSync(folderOf(one));
    writeFileSync(join(folderOf(one), name), 'half');
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: ['f'] });
    rmSync(join(folderOf(one), name));
    mkdirSync(join(folderOf(one), name));
    expect(await one.candidates.build(order(left, right))).toEqual({ conflicts: ['f'] });
  });

  it('are learnt without a word from a merge that is clean', async () => {
    const one = await scene({ f: 'a\n', g: 'a\n' });
    const [left, right] = [one.branch('l', { f: 'l\n' }), one.branch('r', { g: 'r\n' })];
    await one.candidates.learn({ ours: left, theirs: right, resolved: left });
    expect(built(await one.candidates.build(order(left, right))).resolved).toEqual([]);
  });

  it('are bounded: the oldest go first', async () => {
    const one = await scene({ f: 'a\n' });
    const folder = folderOf(one);
    const resolutions = openResolutions(folder, 3);
    const conflict = (n: number) => ({ path: 'f', mode: '100644', base: null, ours: sha(`${n}`), theirs: sha('t') });
    for (let n = 0; n < 5; n += 1) {
      const before = new Set(n === 0 ? [] : readdirSync(folder));
      resolutions.keep(conflict(n), Buffer.from(`${n}`));
      const [file = ''] = readdirSync(folder).filter((name) => !before.has(name));
      utimesSync(join(folder, file), n + 1, n + 1);
    }
    expect([0, 1, 2, 3, 4].map((n) => resolutions.find(conflict(n))?.toString() ?? null)).toEqual([
      null,
      null,
      '2',
      '3',
      '4',
    ]);
  });
});
