import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { INBOX_KINDS, inboxView } from './inbox.ts';
import { standing } from './standing.ts';

function begun(...ids: readonly string[]): Tale {
  const tale = tellTale();
  tale.join('h1', { slots: 9, mergePolicy: 'manual' });
  tale.read(...ids.map((id) => task(id)));
  return tale;
}

describe('inboxView', () => {
  it('ranks what stops everything before a question, that before a look, that before what was put aside', () => {
    const tale = begun('late', 'ready', 'asks', 'free');
    tale.iterate(tale.begin('late'), 'timed-out');
    tale.ready('ready');
    const asks = tale.begin('asks');
    tale.write({ type: 'loop-blocked', loop: asks, n: 1, why: 'needs a key' });
    tale.iterate(asks, 'worked');
    tale.write({ type: 'disk-low', freeMb: 1, floorMb: 2 });
    const { items, needs_you: needs } = inboxView(tale.state());
    expect(items.map(({ kind, task: id, reason }) => [kind, id, reason])).toEqual([
      ['stopped', null, 'disk'],
      ['asks', 'asks', 'blocked'],
      ['review', 'ready', 'review'],
      ['parked', 'late', 'runtime'],
    ]);
    expect(needs).toBe(4);
    expect(items[1]?.detail).toContain('needs a key');
  });

  it('names the command that every face names', () => {
    const tale = begun('a', 'b');
    tale.iterate(tale.begin('a'), 'timed-out');
    tale.ready('b');
    const state = tale.state();
    for (const item of inboxView(state).items) {
      const loop = item.loop === null ? undefined : state.loops[item.loop];
      expect(loop).toBeDefined();
      if (loop !== undefined) expect(item.next).toBe(standing(state, loop).next);
    }
  });

  it('leaves out what the next attempt takes up, what was thrown away and what is done', () => {
    const tale = begun('again', 'gone', 'landed');
    tale.iterate(tale.begin('again'), 'timed-out');
    const gone = tale.begin('gone');
    tale.write({ type: 'loop-discarded', loop: gone, kept: null });
    tale.join('h2');
    tale.land(tale.ready('landed', { host: 'h2' }));
    expect(inboxView(tale.state(), { attempts: 2 }).items).toEqual([]);
    expect(inboxView(tale.state()).items.map(({ task: id }) => id)).toEqual(['again']);
  });

  it('shows what the failing gate printed last', () => {
    const tale = begun('red');
    const loop = tale.begin('red');
    const tail = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
    tale.iterate(loop, 'claimed', 't1');
    tale.gate(loop, { ...RED, tail });
    tale.iterate(loop, 'timed-out', 't1');
    const [item] = inboxView(tale.state()).items;
    expect(item?.lines).toHaveLength(8);
    expect(item?.lines.at(-1)).toBe('line 29');
  });

  it('is in the same order whatever happened first', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 2 }), (ids) => {
        const tale = begun('a', 'b', 'c', 'd');
        for (const [at, id] of ids.entries())
          if (at % 2 === 0) tale.ready(id);
          else tale.iterate(tale.begin(id), 'timed-out');
        const ranks = inboxView(tale.state()).items.map(({ kind }) => INBOX_KINDS.indexOf(kind));
        expect(ranks).toEqual(ranks.toSorted((x, y) => x - y));
        expect(ranks).toHaveLength(ids.length);
      }),
    );
  });
});
