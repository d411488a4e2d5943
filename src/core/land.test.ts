import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellStory } from '../../test/sim/story.ts';
import type { Story } from '../../test/sim/story.ts';
import { hostId, sha } from './ids.ts';
import type { LoopId } from './ids.ts';
import { landingQueue, nextToLand } from './landing-queue.ts';
import type { Candidate } from './model.ts';

const candidate = (item: LoopId, more: Partial<Candidate> = {}): Candidate => ({
  base: sha('b'),
  baseTree: sha('b-tree'),
  commit: sha('c'),
  tree: sha('c-tree'),
  upstream: false,
  members: more.upstream === true ? [] : [{ loop: item, commit: sha('c') }],
  ...more,
});

/** One loop in the middle of its landing, with a candidate built. */
function landing(more: Partial<Candidate> = {}): { readonly story: Story; readonly a: LoopId; readonly fence: number } {
  const story = tellStory();
  story.join('h1');
  story.read(task('a'), task('b'));
  const a = story.ready('a');
  const fence = story.startLanding(a);
  story.write({ type: 'candidate-built', fence, candidate: candidate(a, more) });
  return { story, a, fence };
}

const tested = (fence: number, tree: string, report = GREEN) =>
  ({ type: 'candidate-tested', fence, tree: sha(tree), report, durationMs: 1 }) as const;

describe('a candidate', () => {
  it('is tested, then integration moves, then the loop has landed', () => {
    const { story, a, fence } = landing();
    expect(story.state().landing?.stage.at).toBe('testing');
    story.write(tested(fence, 'c-tree'));
    expect(story.state().landing?.stage.at).toBe('advancing');
    story.write({ type: 'integration-advanced', fence, commit: sha('c') });
    expect(story.state()).toMatchObject({
      landing: null,
      integration: 'c',
      landed: { [key('a')]: { loop: a, commit: 'c' } },
    });
    expect(story.loop(a).phase).toEqual({ at: 'landed', commit: 'c' });
  });

  it('whose very tree passed the gates before is not tested again', () => {
    const { story, a } = landing({ tree: sha('tree-of-a-1') });
    expect(story.loop(a).tree).toBe('tree-of-a-1');
    expect(story.state().landing?.stage.at).toBe('advancing');
  });

  it('whose tree failed before is tested again: it may have been a flake', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    story.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    story.write({ type: 'candidate-built', fence: story.startLanding(a), candidate: candidate(a) });
    expect(story.state().landing?.stage.at).toBe('testing');
  });

  it('is not moved to by a fact about another one', () => {
    const { story, fence } = landing();
    story.write(tested(fence, 'other-tree'));
    story.write({ type: 'integration-advanced', fence, commit: sha('c') });
    story.write(tested(fence - 1, 'c-tree'));
    expect(story.state().landing?.stage.at).toBe('testing');
    story.write(tested(fence, 'c-tree'));
    story.write({ type: 'integration-advanced', fence, commit: sha('other') });
    expect(story.state().landing?.stage.at).toBe('advancing');
  });

  it('that lost the race is built again on what is there now', () => {
    const { story, fence } = landing();
    story.write(tested(fence, 'c-tree'), { type: 'integration-contested', fence, now: sha('n') });
    expect(story.state()).toMatchObject({ integration: 'n', landing: { stage: { at: 'building' } } });
  });

  it('found in integration already has landed, and integration is known', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    const a = story.ready('a');
    const fence = story.startLanding(a);
    story.write({ type: 'candidate-contained', fence, commit: sha('c'), base: sha('later') });
    expect(story.loop(a).phase).toEqual({ at: 'landed', commit: 'c' });
    expect(story.state()).toMatchObject({ landing: null, integration: 'later' });
  });

  it('that conflicts is put aside with its paths, and the queue goes on', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'), task('b'));
    const a = story.ready('a');
    const b = story.ready('b');
    const fence = story.startLanding(a);
    story.write({ type: 'candidate-conflicted', fence, upstream: false, base: sha('b'), paths: ['x.ts'] });
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'conflict', paths: ['x.ts'] });
    expect(nextToLand(story.state())).toBe(b);
  });
});

describe('a red candidate', () => {
  it('is blamed only with proof: the base is tested, and green', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree', RED));
    expect(story.state().landing?.stage.at).toBe('proving');
    story.write(tested(fence, 'b-tree'));
    expect(story.loop(a)).toMatchObject({ phase: { at: 'parked', reason: 'red' }, lastGate: RED });
  });

  it('on a red base is not to blame', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree', RED));
    story.write(tested(fence, 'b-tree', RED));
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'main-red' });
  });

  it('needs no second look at a base that is known', () => {
    const { story, a, fence } = landing({ baseTree: sha('tree-of-a-1') });
    story.write(tested(fence, 'c-tree', RED));
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'red' });
  });

  it('of the user’s own commits stops landing until the target moves', () => {
    const { story, a, fence } = landing({ upstream: true });
    story.write(tested(fence, 'c-tree', RED));
    expect(story.state().landingTrouble?.kind).toBe('upstream-red');
    expect(story.loop(a).phase.at).toBe('ready');
    expect(nextToLand(story.state())).toBeUndefined();
    story.write({ type: 'target-moved', head: sha('t') });
    expect(nextToLand(story.state())).toBe(a);
  });

  it('and a new host tries once more what was stopped', () => {
    const { story, a, fence } = landing({ upstream: true });
    story.write(tested(fence, 'c-tree', RED));
    story.join('h2');
    expect(story.state().landingTrouble).toBeNull();
    expect(nextToLand(story.state())).toBe(a);
  });
});

describe('the user’s new commits', () => {
  it('are merged in first, then the item is built', () => {
    const { story, a, fence } = landing({ upstream: true });
    story.write(tested(fence, 'c-tree'), { type: 'integration-advanced', fence, commit: sha('c') });
    expect(story.state()).toMatchObject({ integration: 'c', landing: { item: a, stage: { at: 'building' } } });
    expect(story.loop(a).phase.at).toBe('ready');
  });

  it('that publishing found come before everything else', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    story.ready('a');
    story.write({ type: 'publish-diverged', to: sha('c') });
    expect(nextToLand(story.state())).toBeNull();
    const fence = story.startLanding(null);
    story.write({ type: 'candidate-contained', fence, commit: sha('u'), base: sha('u') });
    expect(story.state()).toMatchObject({ landing: null, integration: 'u', publishing: { diverged: false } });
  });
});

describe('the queue', () => {
  it('is first come, first served, and lets a loop wait for the one it was started from', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'), task('b'), task('c'));
    const a = story.ready('a');
    const b = story.ready('b');
    expect(landingQueue(story.state()).map((loop) => loop.id)).toEqual([a, b]);
    expect(nextToLand(story.state())).toBe(a);
    story.startLanding(b);
    expect(story.state().landing).toBeNull();
    story.startLanding(a);
    expect(nextToLand(story.state())).toBeUndefined();
  });

  it('holds back what builds on a branch that has not landed', () => {
    const story = tellStory();
    story.join('h1', { mergePolicy: 'manual' });
    story.read(task('a'), task('b'));
    const a = story.ready('a');
    const b = story.ready('b', { onto: [a] });
    const item = (loop: LoopId) => ({ loop, head: sha('h') });
    story.write({ type: 'landing-requested', items: [item(b)] });
    expect(nextToLand(story.state())).toBeUndefined();
    story.write({ type: 'landing-requested', items: [item(a)] });
    expect(nextToLand(story.state())).toBe(a);
  });

  it('takes what a person asks for, with the branch as it stands: ready or put aside, nothing else', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    const b = story.begin('b');
    story.write({
      type: 'landing-requested',
      items: [
        { loop: a, head: sha('mended') },
        { loop: b, head: sha('x') },
      ],
    });
    expect(story.loop(a)).toMatchObject({ head: 'mended', phase: { at: 'ready', queued: true } });
    expect(story.loop(b).phase.at).toBe('iterating');
  });

  it('does not take a loop back whose task is in other hands, or has landed', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    const again = story.begin('a');
    story.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(story.loop(a).phase.at).toBe('parked');
    story.iterate(again, 'claimed', 'new');
    story.gate(again, GREEN);
    story.write({ type: 'candidate-contained', fence: story.startLanding(again), commit: sha('l'), base: sha('l') });
    story.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(story.loop(a).phase.at).toBe('parked');
  });

  it('starts over when the host that landed is gone', () => {
    const { story, a } = landing();
    story.write({ type: 'host-lost', host: hostId('h1') });
    expect(story.state().landing).toBeNull();
    expect(nextToLand(story.state())).toBe(a);
  });
});

describe('a failure while landing', () => {
  const failed = {
    type: 'command-failed',
    command: 'build-candidate',
    loop: null,
    code: 'E_GIT',
    message: 'broke',
  } as const;

  it('to move integration stops landing and leaves the item in the queue: it may have moved', () => {
    const { story, a, fence } = landing();
    story.write(tested(fence, 'c-tree'), { ...failed, command: 'advance-integration', fence });
    expect(story.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'broken', detail: 'broke' } });
    expect(story.loop(a).phase).toMatchObject({ at: 'ready', queued: true });
  });

  it('puts the item aside; with no item, landing stops', () => {
    const { story, a, fence } = landing();
    story.write({ ...failed, fence: fence - 1 });
    expect(story.state().landing?.item).toBe(a);
    // With others on board nobody knows whose fault it was: it is tried alone.
    story.write({ ...failed, fence });
    expect(story.state().landing).toMatchObject({ item: a, width: 1, stage: { at: 'building' } });
    story.write({ ...failed, fence });
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'broken' });
    story.write({ type: 'publish-diverged', to: sha('c') });
    story.write({ ...failed, fence: story.startLanding(null) });
    expect(story.state().landingTrouble).toMatchObject({ kind: 'broken', detail: 'broke' });
  });
});

describe('several loops in one candidate', () => {
  /** Three loops in the queue, the first with the two others merged on top. */
  function together(): { readonly story: Story; readonly loops: readonly LoopId[]; readonly fence: number } {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'), task('b'), task('c'));
    const loops = [story.ready('a'), story.ready('b'), story.ready('c')];
    const [a] = loops as [LoopId];
    const fence = story.startLanding(a);
    const members = loops.map((loop, index) => ({ loop, commit: sha(`c${index}`) }));
    story.write({ type: 'candidate-built', fence, candidate: candidate(a, { members }) });
    return { story, loops, fence };
  }

  it('land together, each by its own commit, after one test', () => {
    const { story, loops, fence } = together();
    story.write(tested(fence, 'c-tree'), { type: 'integration-advanced', fence, commit: sha('c') });
    expect(story.state()).toMatchObject({ landing: null, integration: 'c' });
    expect(loops.map((loop) => story.loop(loop).phase)).toEqual([
      { at: 'landed', commit: 'c0' },
      { at: 'landed', commit: 'c1' },
      { at: 'landed', commit: 'c2' },
    ]);
  });

  it('are nobody’s fault when red together: fewer are tried', () => {
    const { story, loops, fence } = together();
    story.write(tested(fence, 'c-tree', RED));
    expect(story.state().landing).toMatchObject({ item: loops[0], width: 1, stage: { at: 'building' } });
    expect(loops.map((loop) => story.loop(loop).phase.at)).toEqual(['ready', 'ready', 'ready']);
  });

  it('are built again when one of them is taken out', () => {
    const { story, loops } = together();
    story.write({ type: 'task-reset', task: key('b') });
    expect(story.state().landing).toBeNull();
    expect(story.loop(loops[1] as LoopId).phase).toMatchObject({ at: 'parked', reason: 'reset' });
    expect(nextToLand(story.state())).toBe(loops[0]);
  });
});
