import { describe, expect, it } from 'vitest';
import { key, task, tellTale } from '../../../test/sim/tale.ts';
import { drafting, withEntry, withItem } from './draft.ts';
import { EMPTY_STATE } from '../model/model.ts';
import type { State } from '../model/model.ts';
import { fold, foldAll } from '../fold/fold.ts';
import type { Facts } from '../fold/fold.ts';

/** A tale of two loops, and the state after each of its records. */
function told(): { readonly records: readonly Facts[]; readonly states: readonly State[] } {
  const records: Facts[] = [];
  const tale = tellTale((record) => records.push(record));
  tale.join('h1');
  tale.read(task('a'), task('b'));
  const [a, b] = [tale.begin('a'), tale.begin('b')];
  for (const tree of ['one', 'two', 'three']) {
    tale.iterate(a, 'worked', tree);
    tale.iterate(b, 'worked', tree);
  }
  tale.iterate(a, 'claimed', 'done');
  tale.write({ type: 'task-reset', task: key('b') });
  const states = [EMPTY_STATE];
  for (const record of records) states.push(fold(states.at(-1) ?? EMPTY_STATE, record));
  return { records, states };
}

describe('all records at once', () => {
  it('from wherever come to the same state as one by one, and change nothing that was there before', () => {
    const { records, states } = told();
    const kept = JSON.stringify(states);
    const last = states.at(-1);
    for (const [from, state] of states.entries()) expect(foldAll(state, records.slice(from)), `${from}`).toEqual(last);
    expect(JSON.stringify(states)).toBe(kept);
  });

  it('leave a state that later records do not change', () => {
    const { records, states } = told();
    const half = foldAll(EMPTY_STATE, records.slice(0, 6));
    for (const more of [
      (): State => foldAll(half, records.slice(6)),
      (): State => records.slice(6).reduce(fold, half),
    ]) {
      expect(more()).toEqual(states.at(-1));
      expect(half).toEqual(states[6]);
    }
  });
});

describe('what a draft writes into', () => {
  const table = { a: 1 };
  const list = [1, 2];

  it('is its own copy, once', () => {
    drafting(() => {
      const [other, longer] = [withEntry(table, 'a', 2), withItem(list, 3, 3)];
      expect([withEntry(other, 'a', 3) === other, withItem(longer, 4, 3) === longer]).toEqual([true, true]);
      expect([other, longer]).toEqual([{ a: 3 }, [2, 3, 4]]);
      drafting(() => expect(withEntry(other, 'a', 4)).not.toBe(other));
      expect(withEntry(other, 'a', 5)).toBe(other);
    });
    expect([table, list]).toEqual([{ a: 1 }, [1, 2]]);
  });

  it('is nothing once it is over, also by an error', () => {
    const made: { readonly a: number }[] = [];
    const breaking = (): never =>
      drafting(() => {
        made.push(withEntry(table, 'a', 2));
        throw new Error('a bug');
      });
    expect(breaking).toThrow('a bug');
    expect([withEntry(made[0] ?? table, 'a', 3), made[0]]).toEqual([{ a: 3 }, { a: 2 }]);
    expect([withItem(list, 3, 2), withItem([], 1, 1), withItem(list, 3, 1), list]).toEqual([[2, 3], [1], [3], [1, 2]]);
  });
});
