import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellTale } from '../../test/sim/tale.ts';
import type { Tale } from '../../test/sim/tale.ts';
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
function landing(more: Partial<Candidate> = {}): { readonly tale: Tale; readonly a: LoopId; readonly fence: number } {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  const a = tale.ready('a');
  const fence = tale.startLanding(a);
  tale.write({ type: 'candidate-built', fence, candidate: candidate(a, more) });
  return { tale, a, fence };
}

const tested = (fence: number, tree: string, report = GREEN) =>
  ({ type: 'candidate-tested', fence, tree: sha(tree), report, durationMs: 1 }) as const;

describe('a candidate', () => {
  it('is tested, then integration moves, then the loop has landed', () => {
    const { tale, a, fence } = landing();
    expect(tale.state().landing?.stage.at).toBe('testing');
    tale.write(tested(fence, 'c-tree'));
    expect(tale.state().landing?.stage.at).toBe('advancing');
    tale.write({ type: 'integration-advanced', fence, commit: sha('c') });
    expect(tale.state()).toMatchObject({
      landing: null,
      integration: 'c',
      landed: { [key('a')]: { loop: a, commit: 'c' } },
    });
    expect(tale.loop(a).phase).toEqual({ at: 'landed', commit: 'c' });
  });

  it('whose very tree passed the gates before is not tested again', () => {
    const { tale, a } = landing({ tree: sha('tree-of-a-1') });
    expect(tale.loop(a).tree).toBe('tree-of-a-1');
    expect(tale.state().landing?.stage.at).toBe('advancing');
  });

  it('whose tree failed before is tested again: it may have been a flake', () => {
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    tale.write({ type: 'candidate-built', fence: tale.startLanding(a), candidate: candidate(a) });
    expect(tale.state().landing?.stage.at).toBe('testing');
  });

  it('is not moved to by a fact about another one', () => {
    const { tale, fence } = landing();
    tale.write(tested(fence, 'other-tree'));
    tale.write({ type: 'integration-advanced', fence, commit: sha('c') });
    tale.write(tested(fence - 1, 'c-tree'));
    expect(tale.state().landing?.stage.at).toBe('testing');
    tale.write(tested(fence, 'c-tree'));
    tale.write({ type: 'integration-advanced', fence, commit: sha('other') });
    expect(tale.state().landing?.stage.at).toBe('advancing');
  });

  it('that lost the race is built again on what is there now', () => {
    const { tale, fence } = landing();
    tale.write(tested(fence, 'c-tree'), { type: 'integration-contested', fence, now: sha('n') });
    expect(tale.state()).toMatchObject({ integration: 'n', landing: { stage: { at: 'building' } } });
  });

  it('found in integration already has landed, and integration is known', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.ready('a');
    const fence = tale.startLanding(a);
    tale.write({ type: 'candidate-contained', fence, commit: sha('c'), base: sha('later') });
    expect(tale.loop(a).phase).toEqual({ at: 'landed', commit: 'c' });
    expect(tale.state()).toMatchObject({ landing: null, integration: 'later' });
  });

  it('that conflicts is put aside with its paths, and the queue goes on', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.ready('b');
    const fence = tale.startLanding(a);
    tale.write({ type: 'candidate-conflicted', fence, upstream: false, base: sha('b'), paths: ['x.ts'] });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'conflict', paths: ['x.ts'] });
    expect(nextToLand(tale.state())).toBe(b);
  });
});

describe('a red candidate', () => {
  it('is blamed only with proof: the base is tested, and green', () => {
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree', RED));
    expect(tale.state().landing?.stage.at).toBe('proving');
    tale.write(tested(fence, 'b-tree'));
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'parked', reason: 'red' }, lastGate: RED });
  });

  it('on a red base is not to blame', () => {
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree', RED));
    tale.write(tested(fence, 'b-tree', RED));
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'main-red' });
  });

  it('needs no second look at a base that is known', () => {
    const { tale, a, fence } = landing({ baseTree: sha('tree-of-a-1') });
    tale.write(tested(fence, 'c-tree', RED));
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'red' });
  });

  it('of the user’s own commits stops landing until the target moves', () => {
    const { tale, a, fence } = landing({ upstream: true });
    tale.write(tested(fence, 'c-tree', RED));
    expect(tale.state().landingTrouble?.kind).toBe('upstream-red');
    expect(tale.loop(a).phase.at).toBe('ready');
    expect(nextToLand(tale.state())).toBeUndefined();
    tale.write({ type: 'target-moved', head: sha('t') });
    expect(nextToLand(tale.state())).toBe(a);
  });

  it('and a new host tries once more what was stopped', () => {
    const { tale, a, fence } = landing({ upstream: true });
    tale.write(tested(fence, 'c-tree', RED));
    tale.join('h2');
    expect(tale.state().landingTrouble).toBeNull();
    expect(nextToLand(tale.state())).toBe(a);
  });
});

describe('the user’s new commits', () => {
  it('are merged in first, then the item is built', () => {
    const { tale, a, fence } = landing({ upstream: true });
    tale.write(tested(fence, 'c-tree'), { type: 'integration-advanced', fence, commit: sha('c') });
    expect(tale.state()).toMatchObject({ integration: 'c', landing: { item: a, stage: { at: 'building' } } });
    expect(tale.loop(a).phase.at).toBe('ready');
  });

  it('that publishing found come before everything else', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.ready('a');
    tale.write({ type: 'publish-diverged', to: sha('c') });
    expect(nextToLand(tale.state())).toBeNull();
    const fence = tale.startLanding(null);
    tale.write({ type: 'candidate-contained', fence, commit: sha('u'), base: sha('u') });
    expect(tale.state()).toMatchObject({ landing: null, integration: 'u', publishing: { diverged: false } });
  });
});

describe('the queue', () => {
  it('is first come, first served, and lets a loop wait for the one it was started from', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c'));
    const a = tale.ready('a');
    const b = tale.ready('b');
    expect(landingQueue(tale.state()).map((loop) => loop.id)).toEqual([a, b]);
    expect(nextToLand(tale.state())).toBe(a);
    tale.startLanding(b);
    expect(tale.state().landing).toBeNull();
    tale.startLanding(a);
    expect(nextToLand(tale.state())).toBeUndefined();
  });

  it('holds back what builds on a branch that has not landed', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'manual' });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.ready('b', { onto: [a] });
    const item = (loop: LoopId) => ({ loop, head: sha('h') });
    tale.write({ type: 'landing-requested', items: [item(b)] });
    expect(nextToLand(tale.state())).toBeUndefined();
    tale.write({ type: 'landing-requested', items: [item(a)] });
    expect(nextToLand(tale.state())).toBe(a);
  });

  it('takes what a person asks for, with the branch as it stands: ready or put aside, nothing else', () => {
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    const b = tale.begin('b');
    tale.write({
      type: 'landing-requested',
      items: [
        { loop: a, head: sha('mended') },
        { loop: b, head: sha('x') },
      ],
    });
    expect(tale.loop(a)).toMatchObject({ head: 'mended', phase: { at: 'ready', queued: true } });
    expect(tale.loop(b).phase.at).toBe('iterating');
  });

  it('does not take a loop back whose task is in other hands, or has landed', () => {
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree', RED), tested(fence, 'b-tree'));
    const again = tale.begin('a');
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(tale.loop(a).phase.at).toBe('parked');
    tale.iterate(again, 'claimed', 'new');
    tale.gate(again, GREEN);
    tale.write({ type: 'candidate-contained', fence: tale.startLanding(again), commit: sha('l'), base: sha('l') });
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
    expect(tale.loop(a).phase.at).toBe('parked');
  });

  it('starts over when the host that landed is gone', () => {
    const { tale, a } = landing();
    tale.write({ type: 'host-lost', host: hostId('h1') });
    expect(tale.state().landing).toBeNull();
    expect(nextToLand(tale.state())).toBe(a);
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
    const { tale, a, fence } = landing();
    tale.write(tested(fence, 'c-tree'), { ...failed, command: 'advance-integration', fence });
    expect(tale.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'broken', detail: 'broke' } });
    expect(tale.loop(a).phase).toMatchObject({ at: 'ready', queued: true });
  });

  it('puts the item aside; with no item, landing stops', () => {
    const { tale, a, fence } = landing();
    tale.write({ ...failed, fence: fence - 1 });
    expect(tale.state().landing?.item).toBe(a);
    // With others on board nobody knows whose fault it was: it is tried alone.
    tale.write({ ...failed, fence });
    expect(tale.state().landing).toMatchObject({ item: a, width: 1, stage: { at: 'building' } });
    tale.write({ ...failed, fence });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'broken' });
    tale.write({ type: 'publish-diverged', to: sha('c') });
    tale.write({ ...failed, fence: tale.startLanding(null) });
    expect(tale.state().landingTrouble).toMatchObject({ kind: 'broken', detail: 'broke' });
  });
});

describe('several loops in one candidate', () => {
  /** Three loops in the queue, the first with the two others merged on top. */
  function together(): { readonly tale: Tale; readonly loops: readonly LoopId[]; readonly fence: number } {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c'));
    const loops = [tale.ready('a'), tale.ready('b'), tale.ready('c')];
    const [a] = loops as [LoopId];
    const fence = tale.startLanding(a);
    const members = loops.map((loop, index) => ({ loop, commit: sha(`c${index}`) }));
    tale.write({ type: 'candidate-built', fence, candidate: candidate(a, { members }) });
    return { tale, loops, fence };
  }

  it('land together, each by its own commit, after one test', () => {
    const { tale, loops, fence } = together();
    tale.write(tested(fence, 'c-tree'), { type: 'integration-advanced', fence, commit: sha('c') });
    expect(tale.state()).toMatchObject({ landing: null, integration: 'c' });
    expect(loops.map((loop) => tale.loop(loop).phase)).toEqual([
      { at: 'landed', commit: 'c0' },
      { at: 'landed', commit: 'c1' },
      { at: 'landed', commit: 'c2' },
    ]);
  });

  it('are nobody’s fault when red together: fewer are tried', () => {
    const { tale, loops, fence } = together();
    tale.write(tested(fence, 'c-tree', RED));
    expect(tale.state().landing).toMatchObject({ item: loops[0], width: 1, stage: { at: 'building' } });
    expect(loops.map((loop) => tale.loop(loop).phase.at)).toEqual(['ready', 'ready', 'ready']);
  });

  it('are built again when one of them is taken out', () => {
    const { tale, loops } = together();
    tale.write({ type: 'task-reset', task: key('b') });
    expect(tale.state().landing).toBeNull();
    expect(tale.loop(loops[1] as LoopId).phase).toMatchObject({ at: 'parked', reason: 'reset' });
    expect(nextToLand(tale.state())).toBe(loops[0]);
  });
});
