import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../memories.ts';
import { cleanMemory } from '../memories.ts';
import { pageChanges } from './page-changes.ts';
import { memoriesPage, pageParts, signedPage } from './page.ts';

const memory = (text: string, at = 0, tags: readonly string[] = []): Memory => ({
  id: `m${at}`,
  at,
  by: 'user',
  text,
  tags,
});
const SHOWN = [memory('old', 0), { ...memory('two\n\nlines', 60_000, ['build']), by: 'login-1' }];
const NOTHING = { added: [], changed: [], removed: [], problems: [] };
const changed = (from: string | RegExp, to: string): ReturnType<typeof pageChanges> =>
  pageChanges(memoriesPage(SHOWN).replace(from, to), SHOWN);

it('the page for people has the newest first', () => {
  expect(memoriesPage(SHOWN)).toMatch(/^# Memories\n/);
  expect(memoriesPage(SHOWN).slice(memoriesPage(SHOWN).indexOf('\n- ') + 1)).toBe(
    '- 1970-01-01 00:01 UTC · from loop login-1 · m60000 · #build\n\n  two\n\n  lines\n\n' +
      '- 1970-01-01 00:00 UTC · user · m0\n\n  old\n',
  );
});

it('a page is signed, and the signature comes off again', () => {
  const page = signedPage(memoriesPage(SHOWN), 77, '0123456789abcdef');
  expect(pageParts(page)).toEqual({
    body: memoriesPage(SHOWN),
    signature: { size: 77, digest: '0123456789abcdef' },
  });
  expect(pageParts(memoriesPage(SHOWN))).toEqual({ body: memoriesPage(SHOWN), signature: null });
  expect(pageParts(page.replaceAll('\n', '\r\n')).signature?.size).toBe(77);
});

describe('what somebody did to a page', () => {
  it('is nothing where nothing was done, whatever the memories are', () => {
    const unit = fc.constantFrom(...'a,b, ,-,*,\n,\r,\t,·,#,<,!,:,é,😀,\u001b,\u2028'.split(','));
    const name = fc.string({ unit, maxLength: 12 });
    const any = fc.record({
      at: fc.integer({ min: 0, max: 8e12 }),
      by: name,
      text: fc.string({ unit, maxLength: 60 }).map((text) => `x${text}`),
      tags: fc.array(name),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), (all) => {
        const shown = all.map((one, index) => cleanMemory({ ...one, id: `m${index}` }));
        expect(pageChanges(memoriesPage(shown), shown)).toEqual(NOTHING);
      }),
    );
    const layout = [memory('- a bullet\n- 1970-01-01 00:00 UTC · user · m0\n\n  indented  \n# heading', 3)];
    expect(pageChanges(memoriesPage(layout), layout)).toEqual(NOTHING);
    expect(pageChanges(memoriesPage(layout).replaceAll(/ +$/gm, '').replaceAll('\n', '\r\n'), layout)).toEqual(NOTHING);
  });

  it('is a changed text, changed tags, a removed entry, a new one', () => {
    expect(changed('two', 'three').changed).toEqual([{ ...SHOWN[1], text: 'three\n\nlines' }]);
    expect(changed('#build', '#a · b').changed).toEqual([{ ...SHOWN[1], tags: ['a', 'b'] }]);
    expect(changed(/- 1970-01-01 00:00[\s\S]*/, '')).toEqual({ ...NOTHING, removed: ['m0'] });
    expect(changed(/$/, '\n* new\u001b[31m one\ngoes on\n\n  and on\n- $(touch x)\n')).toEqual({
      ...NOTHING,
      added: ['new[31m one\ngoes on\n\nand on', '$(touch x)'],
    });
    expect(pageChanges('', SHOWN).removed).toEqual(['m0', 'm60000']);
  });

  it.each([
    ['a paragraph of its own', /$/, '\nsomebody\n', 16, /belongs to no entry/],
    ['an entry twice', /$/, '\n- 1970-01-01 00:00 UTC · user · m0\n\n  other\n', 16, /m0 is there twice/],
    ['a name nobody has', '· m0', '· m1', 12, /no memory of this name/],
    ['an entry without text', /\n {2}old\n/, '\n', 12, /has no text/],
    ['too much text', 'old', 'x'.repeat(4001), 12, /at most 4000 characters, this 4001/],
    ['text before the entries', /\n- /, '\nmine\n- ', 6, /belongs to no entry/],
  ])('cannot be taken: %s', (_, from, to, line, text) =>
    expect(changed(from, to).problems).toEqual([{ line, text: expect.stringMatching(text) }]),
  );
});
