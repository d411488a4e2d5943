import { describe, expect, it } from 'vitest';
import { POLICY, task, tellStory } from '../../test/sim/story.ts';
import type { Story } from '../../test/sim/story.ts';
import { EXIT } from './errors.ts';
import { hostId, sha } from './ids.ts';
import { summarize } from './summary.ts';

const sum = (story: Story) => summarize(story.state(), POLICY);

function landed(): Story {
  const story = tellStory();
  story.join('h1');
  story.read(task('a'), task('b'));
  const a = story.ready('a');
  story.write({ type: 'candidate-contained', fence: story.startLanding(a), commit: sha('c'), base: sha('c') });
  return story;
}

describe('summarize', () => {
  it('counts nothing before anything happened', () => {
    const story = tellStory();
    expect(sum(story)).toMatchObject({ landed: [], parked: [], publish: { state: 'nothing' }, exit: EXIT.ok });
  });

  it('is fine when all landed or is ready', () => {
    const story = landed();
    story.ready('b');
    expect(sum(story)).toMatchObject({ landed: [{ task: 'a', commit: 'c' }], ready: [{ task: 'b' }], exit: EXIT.ok });
    expect(sum(story).publish).toEqual({ state: 'pending' });
    story.write({ type: 'published', to: sha('c') });
    expect(sum(story).publish).toEqual({ state: 'published' });
  });

  it('is not fine when something is parked, with its reason and the next command', () => {
    const story = landed();
    story.iterate(story.begin('b'), 'timed-out');
    expect(sum(story)).toMatchObject({
      parked: [{ task: 'b', reason: 'runtime', next: 'ralph tasks reset b' }],
      exit: EXIT.parked,
    });
  });

  it('is not fine when a loop was interrupted', () => {
    const story = landed();
    story.begin('b');
    story.write({ type: 'host-left', host: hostId('h1') });
    expect(sum(story)).toMatchObject({ interrupted: [{ task: 'b' }], exit: EXIT.parked });
  });

  it('needs a person when landing stopped or publishing is blocked', () => {
    const story = landed();
    story.write({ type: 'publish-blocked', to: sha('c'), why: 'a dirty file', paths: ['x'] });
    expect(sum(story)).toMatchObject({ publish: { state: 'blocked', why: 'a dirty file' }, exit: EXIT.needsPerson });
    const b = story.ready('b');
    const fence = story.startLanding(b);
    story.write({ type: 'candidate-conflicted', fence, upstream: true, base: sha('c'), paths: ['x.ts', 'y.ts'] });
    expect(sum(story).trouble).toBe('what landed and the new commits on the target conflict: x.ts, y.ts');
    expect(sum(story).exit).toBe(EXIT.needsPerson);
  });

  it('says why a task still waits', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a', { deps: ['b'] }), task('b', { status: 'blocked', blockedReason: 'asks for a key' }));
    expect(sum(story)).toMatchObject({
      waiting: [{ task: 'a', detail: 'waits for b' }],
      blocked: [{ task: 'b', detail: 'asks for a key' }],
    });
  });
});
