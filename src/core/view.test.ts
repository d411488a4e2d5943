import { describe, expect, it } from 'vitest';
import { key, RED, task, tellStory, TRACKER } from '../../test/sim/story.ts';
import type { Story } from '../../test/sim/story.ts';
import { hostId, sha } from './ids.ts';
import { statusView, taskViews } from './view.ts';

const views = (story: Story) => Object.fromEntries(taskViews(story.state(), TRACKER).map((view) => [view.id, view]));
const statuses = (story: Story) =>
  Object.fromEntries(taskViews(story.state(), TRACKER).map((view) => [view.id, view.status]));

describe('taskViews', () => {
  it('tells where each task stands, in the order of the file', () => {
    const story = tellStory();
    story.join('h1', { slots: 9 });
    story.join('h2', { mergePolicy: 'manual' });
    story.read(
      task('landed'),
      task('landing'),
      task('queued'),
      task('ready'),
      task('running'),
      task('interrupted'),
      task('parked'),
      task('reset'),
      task('waiting'),
      task('blocked', { status: 'blocked' }),
      task('done', { status: 'done' }),
    );
    const landed = story.ready('landed');
    story.write({ type: 'candidate-contained', fence: story.startLanding(landed), commit: sha('c'), base: sha('c') });
    story.startLanding(story.ready('landing'));
    story.ready('queued');
    story.ready('ready', { host: 'h2' });
    story.begin('interrupted', { host: 'h2' });
    story.write({ type: 'host-lost', host: hostId('h2') });
    story.begin('running');
    story.iterate(story.begin('parked', { slot: 2 }), 'timed-out');
    story.begin('reset', { slot: 3 });
    story.write({ type: 'task-reset', task: key('reset') });
    const all = statuses(story);
    expect(all).toEqual({ ...Object.fromEntries(Object.keys(all).map((id) => [id, id])), reset: 'waiting' });
    expect(Object.keys(all)[0]).toBe('landed');
    const view = statusView(story.state(), TRACKER, 0);
    expect(view.counts).toMatchObject({ tasks: 11, waiting: 2, landed: 1, parked: 1, running: 1 });
    expect(view.workers.map((worker) => worker.status)).toEqual(['interrupted', 'iterating']);
    expect(view.landing).toEqual({ item: 'landing-2', stage: 'building' });
  });

  it('names the reason of a parked task and the command that moves it on', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a b'));
    story.iterate(story.begin('a b'), 'timed-out');
    expect(views(story)['a b']).toMatchObject({
      status: 'parked',
      reason: 'runtime',
      detail: 'the agent was stopped after 1 min',
      branch: 'ralph/a b-1',
      attempts: 1,
      next: "ralph tasks reset 'a b'",
    });
  });

  it('goes by the newest loop of a task', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    story.iterate(story.begin('a'), 'timed-out');
    story.begin('a');
    expect(views(story)['a']).toMatchObject({ status: 'running', loop: 'a-2', reason: null, attempts: 2 });
  });

  it('shows a landed task that was reset as waiting, and its tick as done', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    const a = story.ready('a');
    story.write({ type: 'candidate-contained', fence: story.startLanding(a), commit: sha('c'), base: sha('c') });
    expect(views(story)['a']).toMatchObject({ status: 'landed', commit: 'c', branch: null });
    story.write({ type: 'task-reset', task: key('a') });
    expect(views(story)['a']).toMatchObject({ status: 'waiting', commit: null });
    story.read(task('a', { status: 'done' }));
    expect(statuses(story)).toEqual({ a: 'done' });
  });

  it('is empty for a tracker nobody read', () => {
    expect(taskViews(tellStory().state(), 'none.md')).toEqual([]);
  });
});

describe('statusView', () => {
  it('shows a worker with its iteration, its gates and its trouble', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    const a = story.begin('a');
    story.iterate(a, 'claimed', 'new');
    story.gate(a, RED);
    const [worker] = statusView(story.state(), TRACKER, story.loop(a).claimedAt + 5000).workers;
    expect(worker).toMatchObject({
      task: 'a',
      iteration: 2,
      gates: 'red',
      duration_ms: 5000,
      error: 'gate fails: npm test',
    });
  });

  it('survives JSON unchanged', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'), task('b'));
    story.startLanding(story.ready('a'));
    story.write({ type: 'publish-blocked', to: sha('c'), why: 'dirty', paths: ['x'] });
    const view = statusView(story.state(), TRACKER, 1);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
    expect(JSON.parse(JSON.stringify(story.state()))).toEqual(story.state());
  });
});
