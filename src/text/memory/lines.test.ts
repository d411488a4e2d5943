import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../memories.ts';
import { cleanMemory } from '../memories.ts';
import { foldMemories, memoryLine, onceLine, readMemoryLine, removalLine } from './lines.ts';

const memory = (text: string, id = 'm1'): Memory => ({ id, at: 7, by: 'user', text, tags: ['build'] });

describe('a line', () => {
  it('reads as what it was written from', () => {
    const any = fc.record({
      id: fc.string({ minLength: 1 }),
      at: fc.integer({ min: 0, max: 8e15 }),
      by: fc.string(),
      text: fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
      tags: fc.array(fc.string()),
    });
    fc.assert(
      fc.property(any, (written) => {
        const clean = cleanMemory(written);
        const line = memoryLine(clean);
        expect(line).not.toContain('\n');
        expect(readMemoryLine(line)).toEqual(
          clean.text === '' ? null : { kind: 'memory', memory: clean, isOnce: false },
        );
      }),
    );
  });

  it('is none when any part of it was torn off', () => {
    for (const line of [memoryLine(memory('use pnpm')), onceLine(memory('use pnpm')), removalLine('m1', 8)])
      for (let end = 0; end < line.length; end += 1) expect(readMemoryLine(line.slice(0, end))).toBeNull();
  });

  it.each([
    'null',
    '[]',
    '"x"',
    '{"id":1,"removed":2}',
    '{"id":"m","at":"1","by":"user","text":"x","tags":[]}',
    '{"id":"m","at":1e99,"by":"user","text":"x","tags":[]}',
    '{"id":"m","at":1,"by":"user","text":" ","tags":[]}',
    `{"id":"m","at":1,"by":"user","text":"${'x'.repeat(4001)}","tags":[]}`,
    '{"id":"m","at":1,"by":"user","text":"x","tags":"y"}',
  ])('is none: %.60s', (line) => expect(readMemoryLine(line)).toBeNull());
});

describe('all lines together', () => {
  const texts = (...lines: readonly string[]): readonly string[] =>
    foldMemories(lines.join('\n\n')).map(({ text }) => text);

  it('the last word about a memory holds, at the place of the first', () => {
    const [a, b] = [memoryLine(memory('a')), memoryLine(memory('b', 'm2'))];
    expect(texts(a, b, memoryLine(memory('A')))).toEqual(['A', 'b']);
    expect(texts(a, b, removalLine('m1', 9))).toEqual(['b']);
    expect(texts(a, removalLine('m1', 9), b, memoryLine(memory('again')))).toEqual(['again', 'b']);
  });

  it('what comes from elsewhere is heard once, and undoes neither an edit nor a removal', () => {
    const once = onceLine(memory('taken over'));
    expect(texts(once, once)).toEqual(['taken over']);
    expect(texts(once, memoryLine(memory('edited')), once)).toEqual(['edited']);
    expect(texts(once, removalLine('m1', 9), once)).toEqual([]);
    expect(texts(once, 'noise')).toEqual(['taken over']);
  });
});
