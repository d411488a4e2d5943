import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOfTitle, stableIds } from './stable-ids.ts';

const derived = (...titles: string[]) => stableIds(titles.map((title) => ({ id: null, title })));

describe('idOfTitle', () => {
  it.each([
    ['Task 1', 'task-1'],
    ['Add login page', 'add-login-page'],
    ['Fix: retry, then stop.', 'fix-retry-then-stop'],
    ['re-read src/main', 're-read-src-main'],
  ])('%j is wholly told by %s', (title, id) => {
    expect(idOfTitle(title)).toBe(id);
  });

  it.each(['Support C++', 'Support C#', 'Café', '日本語', '🎉', 'offset to -1', '../../x', '-rf', 'x'.repeat(41)])(
    '%j gets a hash, for its slug alone would lose something',
    (title) => {
      expect(idOfTitle(title)).toMatch(/^[a-z0-9-]+-[0-9a-f]{6}$/);
    },
  );

  it('tells titles apart that share a slug', () => {
    const ids = [
      'Support C',
      'Support C++',
      'Support C#',
      '日本',
      '日本語',
      `${'x'.repeat(50)}1`,
      `${'x'.repeat(50)}2`,
    ].map(idOfTitle);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not mind case or Unicode composition', () => {
    expect(idOfTitle('CAF\u00C9')).toBe(idOfTitle('cafe\u0301'));
  });
});

describe('stableIds', () => {
  it('numbers equal titles in file order, around titles and ids that look the same', () => {
    expect(derived('Foo', 'Foo 2', 'foo', 'FOO')).toEqual(['foo', 'foo-2', 'foo-3', 'foo-4']);
    expect(
      stableIds([
        { id: null, title: 'Foo' },
        { id: 'foo', title: 'Bar' },
        { id: 'foo-2', title: 'Baz' },
      ]),
    ).toEqual(['foo-3', 'foo', 'foo-2']);
  });

  const title = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' });

  it('gives every task its own id', () => {
    fc.assert(
      fc.property(fc.array(title, { maxLength: 30 }), fc.uniqueArray(title, { maxLength: 5 }), (titles, explicit) => {
        const ids = stableIds([
          ...explicit.map((id) => ({ id, title: id })),
          ...titles.map((text) => ({ id: null, title: text })),
        ]);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.slice(0, explicit.length)).toEqual(explicit);
      }),
    );
  });

  it('keeps an id wherever its task stands among others', () => {
    const distinct = fc.uniqueArray(title, { selector: idOfTitle, minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(distinct, fc.nat(), (titles, seed) => {
        const before = new Map(titles.map((text, index) => [text, derived(...titles)[index]]));
        const turn = seed % titles.length;
        const moved = [...titles.slice(turn), ...titles.slice(0, turn)].filter((_, index) => index % 3 !== 1);
        for (const [index, id] of derived(...moved).entries()) expect(id).toBe(before.get(moved[index] as string));
      }),
    );
  });
});
