import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { changes, openPainter } from './painter.ts';

const nothing = (): boolean => false;

/** What a terminal shows after such codes. */
function play(screen: readonly string[], text: string): readonly string[] {
  const rows = [...screen];
  let at = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [, code = '', end = '', words = ''] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])([^\u001b]*)/g)) {
    if (end === 'J' && code === '2') rows.length = 0;
    else if (end === 'J') rows.length = at;
    if (end === 'H') at = Number(code.split(';')[0]) - 1;
    if (words !== '') rows[at] = words;
    else if (end === 'K' && text.includes(`\u001b[${at + 1};1H\u001b[K`)) rows[at] = '';
  }
  return rows;
}

describe('changes', () => {
  const frames = fc.array(fc.stringMatching(/^[a-z ]{0,6}$/), { minLength: 1, maxLength: 6 });

  it('make one screen of another', () => {
    fc.assert(
      fc.property(frames, frames, (before, after) => {
        const first = play([], changes(null, before, nothing));
        const seen = play(first, changes(before, after, nothing));
        expect(after.map((_, at) => seen[at] ?? '')).toEqual(after);
        expect(seen.length).toBeLessThanOrEqual(after.length);
      }),
    );
  });

  it('are none where nothing changed, and only the rows that did', () => {
    expect(changes(['a', 'b'], ['a', 'b'], nothing)).toBe('');
    expect(changes(['a', 'b'], ['a', 'c'], nothing)).toBe('\u001b[2;1Hc\u001b[K');
    expect(changes(['a'], ['c'], () => true)).toBe('\u001b[1;1Hc');
  });
});

describe('a painter', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const opened = () => {
    const written: { readonly at: number; readonly text: string }[] = [];
    const painter = openPainter({
      write: (text) => void written.push({ at: Date.now(), text }),
      nowMs: Date.now,
      isFull: nothing,
    });
    return { painter, written };
  };

  it('makes at most four frames in any second, and shows the last picture in the end', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.boolean()), { maxLength: 80 }), (steps) => {
        const { painter, written } = opened();
        let n = 0;
        for (const [ms, byKey] of steps) {
          n += 1;
          const picture = `picture ${n}`;
          painter.show(() => [picture], byKey);
          vi.advanceTimersByTime(ms);
        }
        vi.advanceTimersByTime(3000);
        for (const { at } of written)
          expect(written.filter((one) => one.at >= at && one.at < at + 1000).length).toBeLessThanOrEqual(4);
        expect(written.at(-1)?.text ?? '').toContain(n === 0 ? '' : `picture ${n}`);
      }),
    );
  });

  it('answers a key at once though much is going on, and writes inside one update', () => {
    const { painter, written } = opened();
    for (let n = 0; n < 40; n += 1) {
      painter.show(() => [`line ${n}`]);
      vi.advanceTimersByTime(50);
    }
    painter.show(() => ['answer'], true);
    vi.advanceTimersByTime(0);
    expect(written.at(-1)?.text).toBe('\u001b[?2026h\u001b[1;1Hanswer\u001b[K\u001b[?2026l');
  });

  it('writes nothing for a picture that is the same', () => {
    const { painter, written } = opened();
    for (let n = 0; n < 5; n += 1) {
      painter.show(() => ['same']);
      vi.advanceTimersByTime(1000);
    }
    expect(written).toHaveLength(1);
    painter.forget();
    painter.show(() => ['same']);
    vi.advanceTimersByTime(1000);
    expect(written).toHaveLength(2);
  });
});
