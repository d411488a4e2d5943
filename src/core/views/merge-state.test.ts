import { describe, expect, it } from 'vitest';
import { task, tellTale } from '../../../test/sim/tale.ts';
import { loopsOf } from '../model/model.ts';
import { mergeState } from './merge-state.ts';

describe('mergeState', () => {
  it('scenario 23: blocked while another lands, with the reason and whose work that is; idle: ready', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.join('h2', { mergePolicy: 'manual' });
    tale.read(task('a'), task('b'), task('c'));
    const a = tale.ready('a');
    const b = tale.ready('b', { host: 'h2' });
    const c = tale.begin('c', { slot: 3 });
    const of = (id: typeof a): unknown => mergeState(tale.state(), tale.loop(id));
    expect([of(a), of(b), of(c)]).toEqual([{ state: 'ready', why: null }, { state: 'ready', why: null }, null]);
    tale.startLanding();
    tale.build([[a, 'l']]);
    expect(of(a)).toEqual({ state: 'merging', why: null });
    expect(of(b)).toEqual({
      state: 'blocked',
      why: `process ${tale.state().hosts['h1' as never]?.mark.pid ?? ''} is landing: Do a`,
    });
    tale.write({ type: 'queue-paused' });
    expect(of(b)).toEqual({ state: 'blocked', why: 'the queue is paused' });
    tale.write({ type: 'queue-resumed' }, { type: 'loop-ejected', loop: a });
    expect(of(a)).toEqual({ state: 'blocked', why: 'ejected: a person took it out of the queue' });
    expect(of(b)).toEqual({ state: 'ready', why: null });
  });

  it('scenario 6: what waits in the queue is not merged because somebody says so', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.ready('a');
    const before = tale.loop(a);
    tale.write({ type: 'integration-advanced', fence: 1, commit: before.head! });
    tale.write({ type: 'published', to: before.head! });
    expect(tale.loop(a)).toBe(before);
    tale.startLanding();
    tale.write({ type: 'integration-advanced', fence: tale.state().landing?.fence ?? 0, commit: before.head! });
    expect([tale.loop(a).phase.at, loopsOf(tale.state()).length]).toEqual(['ready', 1]);
  });
});
