import { describe, expect, it } from 'vitest';
import { key, RED, task, tellTale, TRACKER } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { hostId, sha } from '../model/ids.ts';
import { statusView, taskViews } from './view.ts';
import { isAtWork } from './view-workers.ts';

const views = (tale: Tale) => Object.fromEntries(taskViews(tale.state(), TRACKER).map((view) => [view.id, view]));
const states = (tale: Tale) =>
  Object.fromEntries(taskViews(tale.state(), TRACKER).map((view) => [view.id, view.state]));

describe('taskViews', () => {
  it('tells where each task stands, in the order of the file', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.join('h2', { mergePolicy: 'manual' });
    tale.read(
      task('landed'),
      task('landing'),
      task('queued'),
      task('ready'),
      task('running'),
      task('interrupted'),
      task('died'),
      task('parked'),
      task('reset'),
      task('waiting'),
      task('blocked', { status: 'blocked' }),
      task('done', { status: 'done' }),
    );
    const landed = tale.ready('landed');
    tale.land(landed);
    const landing = tale.ready('landing');
    tale.startLanding();
    tale.build([[landing, 'l']]);
    tale.ready('queued');
    tale.ready('ready', { host: 'h2' });
    tale.begin('died', { host: 'h2' });
    tale.write({ type: 'host-lost', host: hostId('h2') });
    tale.join('h3');
    tale.begin('interrupted', { host: 'h3' });
    tale.write({ type: 'host-left', host: hostId('h3') });
    tale.begin('running');
    tale.iterate(tale.begin('parked', { slot: 2 }), 'timed-out');
    tale.begin('reset', { slot: 3 });
    tale.write({ type: 'task-reset', task: key('reset') });
    const all = states(tale);
    expect(all).toEqual({
      ...Object.fromEntries(Object.keys(all).map((id) => [id, id])),
      queued: 'landing',
      running: 'at-work',
      interrupted: 'stopped',
      died: 'stopped',
      reset: 'open',
      waiting: 'open',
    });
    expect(Object.keys(all)[0]).toBe('landed');
    const view = statusView(tale.state(), TRACKER, 0);
    expect(view.counts).toMatchObject({
      tasks: 12,
      open: 2,
      stopped: 2,
      landed: 1,
      parked: 1,
      at_work: 1,
    });
    expect(view.workers.filter(isAtWork).map(({ status, reason }) => [status, reason])).toEqual([
      ['stopped', 'host-died'],
      ['stopped', 'host-stopped'],
      ['at-work', 'iterating'],
    ]);
    expect(view.landing).toEqual({ stage: 'testing', cars: ['landing-2'] });
  });

  it('names the reason of a parked task and the command that moves it on', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a b'));
    tale.iterate(tale.begin('a b'), 'timed-out');
    expect(views(tale)['a b']).toMatchObject({
      state: 'parked',
      reason: 'runtime',
      why: 'the agent was stopped after 1m00s',
      branch: 'ralph/a b-1',
      attempts: 1,
      next: "ralph loops resume 'a b-1'",
    });
  });

  it('goes by the newest loop of a task', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.iterate(tale.begin('a'), 'timed-out');
    tale.begin('a');
    expect(views(tale)['a']).toMatchObject({ state: 'at-work', loop: 'a-2', reason: 'iterating', attempts: 2 });
  });

  it('shows a landed task that was reset as waiting, and its tick as done', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.land(a);
    expect(views(tale)['a']).toMatchObject({ state: 'landed', commit: 'c', branch: null });
    tale.write({ type: 'task-reset', task: key('a') });
    expect(views(tale)['a']).toMatchObject({ state: 'open', commit: null });
    tale.read(task('a', { status: 'done' }));
    expect(states(tale)).toEqual({ a: 'done' });
  });

  it('is empty for a tracker nobody read', () => {
    expect(taskViews(tellTale().state(), 'none.md')).toEqual([]);
  });
});

describe('statusView', () => {
  it('shows a worker with its iteration, its gates and its trouble', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.begin('a');
    tale.iterate(a, 'claimed', 'new');
    tale.gate(a, RED);
    const [worker] = statusView(tale.state(), TRACKER, tale.loop(a).claimedAt + 5000).workers;
    expect(worker).toMatchObject({
      task: 'a',
      iteration: 2,
      gates: 'red',
      duration_ms: 5000,
      error: 'gate fails: npm test: one failed',
    });
  });

  it('survives JSON unchanged', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([[a, 'l']]);
    tale.test('l-tree', RED);
    tale.write({ type: 'publish-blocked', to: sha('c'), why: 'dirty', paths: ['x'] });
    const view = statusView(tale.state(), TRACKER, 1);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
    expect(JSON.parse(JSON.stringify(tale.state()))).toEqual(tale.state());
  });
});
