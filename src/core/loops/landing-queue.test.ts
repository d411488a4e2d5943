import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import { phases, queued, train } from '../../../test/sim/train-scene.ts';
import { sha } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';
import { boarding, canLand, landingQueue } from './landing-queue.ts';

describe('the queue', () => {
  it('is by wish, then priority, then first come first', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c', { priority: 1 }), task('d'));
    const [a, b, c, d] = [tale.ready('a'), tale.ready('b'), tale.ready('c'), tale.ready('d')];
    const order = () => landingQueue(tale.state()).map((loop) => loop.id);
    expect(order()).toEqual([c, a, b, d]);
    tale.write({ type: 'loop-bumped', loop: b });
    tale.write({ type: 'loop-bumped', loop: d });
    expect(order()).toEqual([d, b, c, a]);
  });

  it('what is asked for together lands in the order in which it was named', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'manual' });
    tale.read(task('a'), task('b'), task('c'));
    const [c, a, b] = [tale.ready('c'), tale.ready('a'), tale.ready('b')];
    const items = [b, c, a].map((loop) => ({ loop, head: sha('h') }));
    tale.write({ type: 'landing-requested', items });
    expect(landingQueue(tale.state()).map((loop) => loop.id)).toEqual([b, c, a]);
  });

  it('lets a stack ride together, base first, and never without its base', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c'));
    const a = tale.ready('a');
    const b = tale.ready('b');
    const c = tale.ready('c', { onto: [a] });
    expect(boarding(tale.state(), 9)).toEqual([a, c, b]);
    expect(boarding(tale.state(), 2)).toEqual([a, c]);
    tale.write({ type: 'loop-bumped', loop: c });
    expect(boarding(tale.state(), 9)).toEqual([a, c, b]);
  });

  it('holds back what builds on a branch that is not in it', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'manual' });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.ready('b', { onto: [a] });
    const item = (loop: LoopId) => ({ loop, head: sha('h') });
    tale.write({ type: 'landing-requested', items: [item(b)] });
    expect(canLand(tale.state())).toBe(false);
    tale.write({ type: 'landing-requested', items: [item(a)] });
    expect(boarding(tale.state(), 9)).toEqual([a, b]);
  });

  it('learns of a stack that nobody declared when it is merged', () => {
    const { tale, loops } = queued();
    tale.startLanding();
    tale.build(
      [
        [loops[0], 'c1'],
        [loops[2], 'c3'],
      ],
      { implied: [{ loop: loops[1], onto: [loops[2]] }] },
    );
    expect(tale.loop(loops[1]).onto).toEqual([loops[2]]);
    expect(boarding(tale.state(), 9)).toEqual([loops[0], loops[2], loops[1]]);
    tale.write({ type: 'loop-ejected', loop: loops[2] });
    expect(tale.loop(loops[1]).phase).toMatchObject({ at: 'parked', reason: 'base-parked' });
  });

  it('lets one go first of two that hold something of each other', () => {
    const { tale, loops } = queued();
    const [a, b, c] = loops;
    tale.startLanding();
    tale.build([], {
      implied: [
        { loop: a, onto: [b] },
        { loop: b, onto: [c] },
        { loop: c, onto: [a] },
      ],
    });
    expect([a, b, c].map((id) => tale.loop(id).onto)).toEqual([[b], [c], []]);
    expect(boarding(tale.state(), 9)).toEqual([c, b, a]);
  });

  it('takes what a person asks for, with the branch as it stands: ready or put aside, nothing else', () => {
    const { tale, loops } = queued();
    tale.write({ type: 'loop-ejected', loop: loops[0] });
    expect(tale.loop(loops[0]).phase).toMatchObject({ at: 'parked', reason: 'ejected' });
    const d = tale.begin('d');
    tale.write({
      type: 'landing-requested',
      items: [
        { loop: loops[0], head: sha('mended') },
        { loop: d, head: sha('x') },
      ],
    });
    expect(tale.loop(loops[0])).toMatchObject({ head: 'mended', phase: { at: 'ready', queued: true } });
    expect(tale.loop(d).phase.at).toBe('iterating');
  });

  it('does not take a loop back whose task is in other hands, or has landed', () => {
    const { tale, loops } = queued();
    const [a] = loops;
    tale.write({ type: 'loop-ejected', loop: a });
    const again = tale.begin('a');
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(tale.loop(a).phase.at).toBe('parked');
    tale.iterate(again, 'claimed', 'new');
    tale.gate(again, GREEN);
    tale.land(again);
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(tale.loop(a).phase.at).toBe('parked');
  });

  it('held by a person starts nothing and ends what was begun, but not a move of integration', () => {
    const { tale } = train();
    tale.write({ type: 'queue-paused' });
    expect(tale.state().landing).toBeNull();
    expect(canLand(tale.state())).toBe(false);
    tale.startLanding();
    expect(tale.state().landing).toBeNull();
    tale.write({ type: 'queue-resumed' });
    expect(canLand(tale.state())).toBe(true);
    const moving = train();
    moving.tale.test('c3-tree', RED);
    moving.tale.test('c2-tree');
    moving.tale.write({ type: 'queue-paused' });
    expect(moving.tale.state().landing?.stage.at).toBe('advancing');
    moving.tale.advance('c2');
    expect(phases(moving)).toEqual(['landed', 'landed', 'ready']);
    expect(moving.tale.state().landing).toBeNull();
  });

  it('gives up a train for a loop that a person wants first, unless it is first', () => {
    const { tale, loops } = train();
    tale.write({ type: 'loop-bumped', loop: loops[0] });
    expect(tale.state().landing).not.toBeNull();
    tale.write({ type: 'loop-bumped', loop: loops[2] });
    expect(tale.state().landing).toBeNull();
    expect(boarding(tale.state(), 9)[0]).toBe(loops[2]);
  });

  it('gives up a train for a car that a person takes out', () => {
    const { tale, loops } = train();
    tale.write({ type: 'loop-ejected', loop: loops[1] });
    expect(tale.state().landing).toBeNull();
    expect(boarding(tale.state(), 9)).toEqual([loops[0], loops[2]]);
  });

  it('lets a person take out what has not begun to move integration, whatever else moves it', () => {
    const moving = train();
    const { tale, loops } = moving;
    tale.test('c3-tree', RED);
    tale.test('c2-tree');
    tale.write({ type: 'loop-ejected', loop: loops[0] });
    expect(tale.loop(loops[0]).phase.at).toBe('ready');
    tale.write({ type: 'loop-ejected', loop: loops[2] });
    expect(tale.loop(loops[2]).phase).toMatchObject({ at: 'parked', reason: 'ejected' });
    tale.advance('c2');
    expect(phases(moving)).toEqual(['landed', 'landed', 'parked']);
    expect(tale.state().landing).toBeNull();
  });

  it('tells of what was thrown away in the very moment it landed that it landed', () => {
    const moving = train();
    const { tale, loops } = moving;
    tale.test('c3-tree', RED);
    tale.test('c2-tree');
    for (const loop of [loops[0], loops[2]]) tale.write({ type: 'loop-discarded', loop, kept: 'k' });
    tale.advance('c2');
    expect(phases(moving)).toEqual(['landed', 'landed', 'parked']);
    expect(tale.state()).toMatchObject({ landing: null, landed: { [key('a')]: { loop: loops[0] } } });
  });

  it('believes what history says of landings that the log does not know, and keeps what it knows', () => {
    const { tale, loops } = queued();
    tale.land(loops[0], 'c1');
    const found = (name: string) => ({ task: key(name), loop: loops[2], commit: sha('old'), at: 1 });
    tale.write({ type: 'landings-found', landings: [found('a'), found('d')] });
    expect(tale.state().landed).toMatchObject({ [key('a')]: { commit: 'c1' }, [key('d')]: { commit: 'old' } });
  });

  it('a loop that the log still sees at work, and history as landed, has landed; a task freed since stays free', () => {
    const { tale, loops } = queued();
    tale.land(loops[0], 'c1');
    tale.write({ type: 'task-reset', task: key('a') });
    const landings = [
      { task: key('a'), loop: loops[0], commit: sha('c1'), at: 1 },
      { task: key('b'), loop: loops[1], commit: sha('c2'), at: 2 },
    ];
    tale.write({ type: 'landings-found', landings });
    expect(tale.loop(loops[1]).phase).toEqual({ at: 'landed', commit: 'c2' });
    expect(tale.state().landed).toMatchObject({ [key('b')]: { commit: 'c2' } });
    expect(tale.state().landed[key('a')]).toBeUndefined();
  });
});
