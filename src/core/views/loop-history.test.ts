import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Event } from '../model/events.ts';
import { hostId, loopId, sha } from '../model/ids.ts';
import { loopHistory } from './loop-history.ts';
import type { Facts } from '../fold/fold.ts';

/** A tale whose records can be read again. */
function recorded() {
  const records: Facts[] = [];
  const tale = tellTale((record) => records.push(record));
  const types = (id: string): readonly string[] => loopHistory(records, loopId(id)).map(({ what }) => what.type);
  return { tale, records, types };
}

describe('loopHistory', () => {
  it('tells everything about one loop, in order, and nothing about the others', () => {
    const { tale, records, types } = recorded();
    tale.join('h1', { slots: 3 });
    tale.read(task('a'), task('b'), task('c'));
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    tale.iterate(a, 'worked', 't1');
    tale.iterate(b, 'worked', 't2');
    tale.write({ type: 'loop-steered', loop: a, text: 'this way' });
    tale.iterate(a, 'claimed', 't3', 1000, { guided: 1_000_000 });
    tale.gate(a, RED);
    tale.iterate(a, 'claimed', 't4');
    tale.gate(a, GREEN);
    tale.startLanding();
    tale.build([[a, 'car']]);
    tale.test('car-tree');
    tale.advance('car');
    tale.write({ type: 'worktree-retired', loop: a });
    tale.write({ type: 'host-lost', host: hostId('h1') });
    expect(types(a)).toEqual([
      'task-claimed',
      'worktree-made',
      'iteration-ended',
      'loop-steered',
      'iteration-ended',
      'gates-ended',
      'iteration-ended',
      'gates-ended',
      'loop-ready',
      'train-built',
      'candidate-tested',
      'loop-landed',
      'worktree-retired',
    ]);
    expect(types(b)).toEqual(['task-claimed', 'worktree-made', 'iteration-ended', 'host-lost']);
    expect(types('nobody')).toEqual([]);
    const entries = loopHistory(records, a);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq).toSorted((x, y) => x - y));
    expect(entries.every(({ at, by, seq }) => at === seq * 1000 && by === 'tale')).toBe(true);
  });

  it('a train tells of the cars that were tested, a reset of whose task it was', () => {
    const { tale, types } = recorded();
    tale.join('h1', { slots: 3 });
    tale.read(task('a'), task('b'));
    const [a, b] = [tale.ready('a'), tale.ready('b', { slot: 2 })];
    tale.startLanding();
    tale.build([
      [a, 'one'],
      [b, 'two'],
    ]);
    const before = [types(a).length, types(b).length];
    tale.test('one-tree');
    expect([types(a).length, types(b).length]).toEqual([(before[0] ?? 0) + 1, before[1]]);
    tale.write({ type: 'task-reset', task: key('b') });
    expect(types(b).slice(-2)).toEqual(['task-reset', 'loop-parked']);
  });

  it('two that land at once are told of apart, and so is what was found out later', () => {
    const { tale, types } = recorded();
    tale.join('h1', { slots: 3 });
    tale.read(task('a'), task('b'));
    const [a, b] = [tale.ready('a'), tale.ready('b', { slot: 2 })];
    tale.startLanding();
    tale.build([
      [a, 'one'],
      [b, 'two'],
    ]);
    tale.test('two-tree');
    tale.advance('two');
    for (const id of [a, b]) expect(types(id).filter((type) => type === 'loop-landed')).toHaveLength(1);
    const found: Event = { type: 'landings-found', landings: [{ task: key('a'), loop: a, commit: sha('c'), at: 1 }] };
    tale.write(found);
    expect([types(a).at(-1), types(b).at(-1)]).toEqual(['landings-found', 'loop-landed']);
  });
});
