import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory } from './memories.ts';
import { chooseMemories, cleanMemory, searchMemories } from './memories.ts';

const memory = (text: string, at = 0, tags: readonly string[] = []): Memory => ({
  id: `m${at}`,
  at,
  by: 'user',
  text,
  tags,
});
const texts = (all: readonly Memory[]): readonly string[] => all.map(({ text }) => text);

it('cleaning takes what acts instead of being read', () => {
  const clean = cleanMemory({
    ...memory(' a\u001b[31m\r\n\tb\u202e\0 '),
    by: 'x\ny',
    tags: ['a', ' a ', '\u0007', 'b\nc'],
  });
  expect(clean).toMatchObject({ text: 'a[31m\n\tb', by: 'x y', tags: ['a', 'b c'] });
});

describe('chooseMemories', () => {
  const all = [
    memory('The login form keeps its state in a session', 1),
    memory('Tests run with pnpm', 2),
    memory('Nothing to do with anything', 3),
    memory('The session store of the login is in src/store', 4),
  ];

  it('takes what shares most words with the task first, then the newest', () => {
    expect(texts(chooseMemories(all, { tokens: 1000, task: 'Move the session state of the Login' }))).toEqual([
      all[0]?.text,
      all[3]?.text,
      all[2]?.text,
      all[1]?.text,
    ]);
  });

  it('counts tags as words, and no word that is in every sentence', () => {
    const tagged = [memory('old, tagged', 1, ['login']), memory('the and with', 2)];
    expect(texts(chooseMemories(tagged, { tokens: 100, task: 'the login and with' }))).toEqual([
      'old, tagged',
      'the and with',
    ]);
  });

  it('stays within the budget, and what is too long does not keep shorter ones out', () => {
    const mixed = [memory('short', 1), memory('x'.repeat(400), 2), memory('x'.repeat(37), 3)];
    expect(texts(chooseMemories(mixed, { tokens: 12, task: '' }))).toEqual(['x'.repeat(37), 'short']);
    expect(texts(chooseMemories(mixed, { tokens: 11, task: '' }))).toEqual(['x'.repeat(37)]);
    expect(chooseMemories([memory('12345')], { tokens: 2, task: '' })).toHaveLength(1);
    expect(chooseMemories([memory('123456')], { tokens: 2, task: '' })).toHaveLength(0);
  });

  it('never exceeds any budget', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 300 })), fc.nat(200), (words, tokens) => {
        const chosen = chooseMemories(
          words.map((text, at) => memory(text, at)),
          { tokens, task: words.join(' ') },
        );
        expect(texts(chosen).join('').length).toBeLessThanOrEqual(tokens * 4);
      }),
    );
  });

  it('tells nothing twice', () => {
    expect(chooseMemories([memory('same', 1), memory('same', 2)], { tokens: 100, task: '' })).toEqual([
      memory('same', 2),
    ]);
  });
});

it('searching finds what holds every word, in text or tags, newest first', () => {
  const all = [memory('Use pnpm', 1, ['Build']), memory('pnpm is slow', 3), memory('pnpm builds', 2)];
  expect(texts(searchMemories(all, '  PNPM build '))).toEqual(['pnpm builds', 'Use pnpm']);
  expect(texts(searchMemories(all, ''))).toEqual(['pnpm is slow', 'pnpm builds', 'Use pnpm']);
  expect(searchMemories(all, 'npm install')).toEqual([]);
});
