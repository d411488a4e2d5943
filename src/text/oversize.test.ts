import { describe, expect, it } from 'vitest';

import { type NewFile, describeOversized, findOversized } from './oversize.ts';

const MB = 1024 * 1024;
const LIMITS = { files: 4, mb: 2 };
const file = (path: string, mb = 0, isFixed = false): NewFile => ({ path, bytes: mb * MB, isFixed });
const many = (folder: string, count: number, isFixed = false): readonly NewFile[] =>
  Array.from({ length: count }, (_, n) => file(`${folder}${n}.js`, 0, isFixed));
const found = (files: readonly NewFile[], { tracked = [] as readonly string[], gone = 0 } = {}): readonly string[] =>
  findOversized(files, { limits: LIMITS, tracked: new Set(tracked), gone }).map(
    ({ name, why, paths }) => `${name} ${why} ${paths.length}`,
  );

describe('what is too much to land', () => {
  it('is nothing up to the limits', () => {
    expect(found([...many('a/', 3), file('b', 2)])).toEqual([]);
  });

  it('is what tools make, wherever the target has no such folder', () => {
    const files = [file('node_modules/a/node_modules/b.js'), file('web/dist/a.js'), file('dist/a.js'), file('target')];
    expect(found(files, { tracked: ['dist'] })).toEqual(['node_modules/ made 1', 'web/dist/ made 1']);
    expect(found([file('dist/.venv/a')], { tracked: ['dist'] })).toEqual(['dist/.venv/ made 1']);
  });

  it('is the largest files, as many as it takes', () => {
    expect(found([file('a', 1), file('b', 4), file('c', 2), file('d', 0.5)])).toEqual(['b mb 1', 'c mb 1']);
  });

  it('is the fullest folder, or the part of it that is most of it', () => {
    expect(found([...many('src/gen/', 5), file('src/own.js'), file('a.js')])).toEqual(['src/gen/ files 5']);
    expect(found([...many('vendor/a/', 3), ...many('vendor/b/', 3)])).toEqual(['vendor/ files 6']);
    expect(found([...many('', 5), file('src/own.js')])).toEqual(['./ files 5']);
  });

  it('counts files that come in the place of others as none', () => {
    expect(found(many('new/', 6), { gone: 2 })).toEqual([]);
    expect(found(many('new/', 7), { gone: 2 })).toEqual(['new/ files 7']);
  });

  it('counts what is committed already, and leaves out the rest only where that helps', () => {
    expect(found([...many('a/', 3, true), ...many('b/', 2)])).toEqual(['b/ files 2']);
    expect(found([...many('a/', 5, true), file('b.js')])).toEqual([]);
    expect(found([file('a', 3, true), file('b', 1)])).toEqual([]);
    expect(found([...many('dist/', 9, true), file('b.js')])).toEqual([]);
  });

  it('is told by name, some of it if there is much', () => {
    const tell = (files: readonly NewFile[]): string =>
      describeOversized(findOversized(files, { limits: LIMITS, tracked: new Set(), gone: 0 }), LIMITS);
    expect(tell([file('dist/a.js'), file('big', 2.25)])).toBe(
      'dist/ (1 file, made by tools), big (2.3 MB, landing.max_new_mb is 2)',
    );
    expect(tell(many('x/', 5))).toBe('x/ (5 files, landing.max_new_files is 4)');
    expect(tell(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(`${name}/dist/x`)))).toMatch(
      /d\/dist\/ .* and 2 more$/,
    );
  });
});
