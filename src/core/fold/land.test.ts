import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import { phases, queued, tests, train } from '../../../test/sim/train-scene.ts';
import { hostId, sha } from '../model/ids.ts';
import { boarding, canLand } from '../loops/landing-queue.ts';

describe('a train', () => {
  it('is tested as a whole, then integration moves, then each has landed by its own commit', () => {
    const scene = train();
    const { tale, loops } = scene;
    expect(tests(scene)).toEqual(['c3']);
    tale.test('c3-tree');
    expect(tale.state().landing?.stage).toEqual({ at: 'advancing', commit: 'c3' });
    expect(tale.state().integration).toBe('main');
    tale.advance('c3');
    expect(tale.state()).toMatchObject({ landing: null, integration: 'c3' });
    expect(loops.map((id) => tale.loop(id).phase)).toEqual([
      { at: 'landed', commit: 'c1' },
      { at: 'landed', commit: 'c2' },
      { at: 'landed', commit: 'c3' },
    ]);
    expect(tale.state().landed[key('b')]).toMatchObject({ loop: loops[1], commit: 'c2' });
  });

  it('leaves out what another clone has done, keeps it, and takes it along once a person insists', () => {
    const { tale, loops } = queued();
    const [a, b] = loops;
    tale.startLanding();
    const done = { loop: a, where: 'main', commit: sha('0123456789abcdef'), kept: 'refs/paralph/keep/a/1' };
    tale.build([[b, 'c1']], { duplicates: [done] });
    expect(tale.loop(a).phase).toMatchObject({
      at: 'parked',
      reason: 'duplicate',
      detail: `a is done on main by 0123456789; this work is kept on ${tale.loop(a).branch} and as refs/paralph/keep/a/1`,
    });
    expect(tale.state().landing?.cars.map((car) => car.loop)).toEqual([b]);
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: tale.loop(a).head! }] });
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'ready', queued: true }, isTwice: true });
  });

  it('whose very tree passed the gates before is not tested again', () => {
    const { tale, loops } = queued();
    tale.write({ type: 'loop-ejected', loop: loops[1] }, { type: 'loop-ejected', loop: loops[2] });
    tale.startLanding();
    const [a] = loops;
    const tree = tale.loop(a).tree!;
    tale.build([], { cars: [{ loop: a, head: tale.loop(a).head!, commit: sha('c'), tree }] });
    expect(tale.state().landing?.stage.at).toBe('advancing');
  });

  it('needs no gates where there are none', () => {
    const tale = tellTale();
    tale.join('h1', { hasGates: false });
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([[a, 'c']]);
    expect(tale.state().landing?.stage.at).toBe('advancing');
  });

  it('is not moved by a fact about another one', () => {
    const scene = train();
    const { tale } = scene;
    const { fence } = tale.state().landing!;
    const told = { type: 'candidate-tested', again: 0, report: GREEN, durationMs: 1 } as const;
    tale.write({ ...told, fence: fence - 1, tree: sha('c3-tree') });
    tale.write({ ...told, fence, tree: sha('other-tree') });
    tale.write({ type: 'integration-advanced', fence, commit: sha('c3') });
    expect(tale.state().landing?.stage.at).toBe('testing');
    tale.test('c3-tree');
    tale.write({ type: 'integration-advanced', fence, commit: sha('c2') });
    tale.write({ type: 'integration-advanced', fence: fence - 1, commit: sha('c3') });
    expect(tale.state().landing?.stage.at).toBe('advancing');
    expect(phases(scene)).toEqual(['ready', 'ready', 'ready']);
  });

  it('takes a green that is no longer asked for as known', () => {
    const { tale } = train();
    const { fence } = tale.state().landing!;
    const told = { type: 'candidate-tested', fence, again: 0, durationMs: 1 } as const;
    tale.write({ ...told, tree: sha('c1-tree'), report: RED });
    tale.write({ ...told, tree: sha('c2-tree'), report: GREEN });
    expect(tale.state().landing?.reds).toEqual([]);
    tale.test('c3-tree', RED);
    expect(tale.state().landing?.stage).toEqual({ at: 'advancing', commit: 'c2' });
  });

  it('that lost the race is built anew on what is there now', () => {
    const { tale } = train();
    const { fence } = tale.state().landing!;
    tale.test('c3-tree');
    tale.write({ type: 'integration-contested', fence, now: sha('n') });
    expect(tale.state()).toMatchObject({ integration: 'n', landing: null });
    expect(canLand(tale.state())).toBe(true);
  });

  it('on another base is given up, unless it may be who moved it', () => {
    const { tale } = train();
    tale.write({ type: 'integration-moved', head: sha('main') });
    expect(tale.state().landing).not.toBeNull();
    tale.write({ type: 'integration-moved', head: sha('n') });
    expect(tale.state()).toMatchObject({ landing: null, integration: 'n' });
    const other = train().tale;
    other.test('c3-tree');
    other.write({ type: 'integration-moved', head: sha('c3') });
    expect(other.state()).toMatchObject({ landing: { stage: { at: 'advancing' } }, integration: 'c3' });
    other.advance('c3');
    expect(other.state().landing).toBeNull();
  });

  it('finds what is in integration already', () => {
    const scene = queued();
    const { tale, loops } = scene;
    tale.startLanding();
    tale.build([[loops[1], 'c2']], { base: sha('later'), contained: [{ loop: loops[0], commit: sha('c1') }] });
    expect(tale.loop(loops[0]).phase).toEqual({ at: 'landed', commit: 'c1' });
    expect(tale.state()).toMatchObject({ integration: 'later', landing: { cars: [{ loop: loops[1] }] } });
    expect(phases(scene)).toEqual(['landed', 'ready', 'ready']);
  });

  it('lets who got ready meanwhile board before a new run starts, and keeps the cars that are there', () => {
    const scene = train();
    scene.tale.ready('d');
    expect(tests(scene)).toEqual(['c3']);
    const other = queued();
    const clashes = [{ loop: other.loops[1], main: false, paths: ['x'], with: [other.loops[0]] }];
    other.tale.startLanding();
    other.tale.build([[other.loops[0], 'c1']], { clashes });
    // The third one was not in that build.
    expect(other.tale.state().landing).toMatchObject({ build: 2, stage: { at: 'building' }, cars: [{ commit: 'c1' }] });
    other.tale.build(
      [
        [other.loops[0], 'c1'],
        [other.loops[2], 'c3'],
      ],
      { clashes },
    );
    expect(tests(other)).toEqual(['c3']);
  });

  it('is built again when one of its cars was taken out while it was merged', () => {
    const { tale, loops } = queued();
    tale.startLanding();
    tale.write({ type: 'loop-ejected', loop: loops[0] });
    tale.build([
      [loops[0], 'c1'],
      [loops[1], 'c2'],
    ]);
    expect(tale.state().landing).toMatchObject({ build: 2, stage: { at: 'building' } });
    tale.build([[loops[1], 'c2']], { build: 1 });
    expect(tale.state().landing?.stage.at).toBe('building');
  });

  it('is built again when the branch of a car is another one by now', () => {
    const { tale, loops } = queued();
    tale.startLanding();
    const old = tale.loop(loops[0]).head!;
    tale.write(
      { type: 'loop-ejected', loop: loops[0] },
      { type: 'landing-requested', items: [{ loop: loops[0], head: sha('newer') }] },
    );
    tale.build([], { cars: [{ loop: loops[0], head: old, commit: sha('c1'), tree: sha('c1-tree') }] });
    expect(tale.state().landing).toMatchObject({ build: 2, stage: { at: 'building' }, cars: [] });
  });

  it('starts over when the host that landed is gone', () => {
    const { tale } = train();
    tale.write({ type: 'host-lost', host: hostId('h1') });
    expect(tale.state().landing).toBeNull();
    expect(canLand(tale.state())).toBe(true);
  });

  it('is given up when a task of it is reset', () => {
    const scene = train();
    scene.tale.write({ type: 'task-reset', task: key('b') });
    expect(scene.tale.state().landing).toBeNull();
    expect(scene.tale.loop(scene.loops[1]).phase).toMatchObject({ at: 'parked', reason: 'reset' });
  });
});

describe('a red train', () => {
  it('is nobody’s fault: a shorter part of it is tried, and what is green lands', () => {
    const scene = train();
    const { tale } = scene;
    tale.test('c3-tree', RED);
    expect(phases(scene)).toEqual(['ready', 'ready', 'ready']);
    expect(tests(scene)).toEqual(['c2']);
    tale.test('c2-tree');
    tale.advance('c2');
    expect(phases(scene)).toEqual(['landed', 'landed', 'parked']);
    expect(tale.loop(scene.loops[2])).toMatchObject({ phase: { reason: 'red' }, lastGate: RED });
  });

  it('is blamed on its first car only when the base is green', () => {
    const scene = train();
    const { tale, loops } = scene;
    tale.test('c3-tree', RED);
    tale.test('c2-tree', RED);
    tale.test('c1-tree', RED);
    expect(tests(scene)).toEqual(['main']);
    tale.test('main-tree');
    expect(tale.loop(loops[0])).toMatchObject({ phase: { at: 'parked', reason: 'red' }, lastGate: RED });
    expect(tale.state().landing).toMatchObject({ build: 2, cars: [], runs: [], stage: { at: 'building' } });
    expect(boarding(tale.state(), 9)).toEqual(loops.slice(1));
  });

  it('on a red base is not to blame: nothing lands until main is mended, and all wait', () => {
    const scene = train();
    const { tale, loops } = scene;
    for (const tree of ['c3-tree', 'c2-tree', 'c1-tree', 'main-tree']) tale.test(tree, RED);
    expect(tale.state().landing).toBeNull();
    expect(tale.state().landingTrouble).toMatchObject({ kind: 'main-red', gate: RED });
    for (const id of loops) expect(tale.loop(id).phase).toMatchObject({ at: 'ready', queued: true });
  });

  it('is run again as often as told before anybody is blamed, the base too', () => {
    const scene = train({ flakeRetries: 1 });
    const { tale, loops } = scene;
    tale.test('c3-tree', RED);
    tale.test('c2-tree', RED);
    tale.test('c1-tree', RED);
    expect(tests(scene)).toEqual(['c1']);
    tale.test('c1-tree', RED);
    expect(tests(scene)).toEqual(['main']);
    tale.test('main-tree', RED);
    expect(tests(scene)).toEqual(['main']);
    tale.test('main-tree', GREEN);
    expect(tale.loop(loops[0]).phase).toMatchObject({ at: 'parked', reason: 'red' });
  });

  it('that turns green at the second look lands, and the gates are known to lie', () => {
    const { tale, loops } = train({ flakeRetries: 1 });
    for (const tree of ['c3-tree', 'c2-tree', 'c1-tree']) tale.test(tree, RED);
    const { flaky } = tale.state().odds;
    tale.test('c1-tree', GREEN);
    expect(tale.state().landing?.stage).toEqual({ at: 'advancing', commit: 'c1' });
    expect(tale.state().odds.flaky).toBeGreaterThan(flaky);
    tale.advance('c1');
    expect(tale.loop(loops[0]).phase.at).toBe('landed');
  });

  it('takes what builds on the culprit with it', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.ready('b', { onto: [a] });
    tale.startLanding();
    tale.build([
      [a, 'c1'],
      [b, 'c2'],
    ]);
    for (const tree of ['c2-tree', 'c1-tree']) tale.test(tree, RED);
    tale.test('main-tree');
    expect(tale.loop(b).phase).toMatchObject({ at: 'parked', reason: 'base-parked' });
    expect(tale.state().landing).toBeNull();
  });
});

describe('the user’s new commits', () => {
  it('ride first, and are never put aside: red, they stop landing until the target moves', () => {
    const { tale, loops } = queued();
    tale.write({ type: 'publish-diverged', to: sha('c') });
    tale.startLanding();
    tale.build([
      [null, 'u'],
      [loops[0], 'c1'],
      [loops[1], 'c2'],
      [loops[2], 'c3'],
    ]);
    expect(tale.state().publishing.diverged).toBe(true);
    for (const tree of ['c3-tree', 'c1-tree', 'u-tree']) tale.test(tree, RED);
    tale.test('main-tree');
    expect(tale.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'upstream-red' } });
    expect(tale.loop(loops[0]).phase.at).toBe('ready');
    expect(canLand(tale.state())).toBe(false);
    tale.write({ type: 'target-moved', head: sha('t') });
    expect(canLand(tale.state())).toBe(true);
  });

  it('count as moved by somebody also where a train followed them before anybody had seen them', () => {
    const { tale } = queued();
    tale.write({ type: 'target-moved', head: sha('main') });
    tale.startLanding();
    expect(tale.build([]).isTargetMoved).toBeUndefined();
    tale.startLanding();
    tale.build([], { base: sha('pulled') });
    tale.write({ type: 'target-moved', head: sha('pulled') });
    expect(tale.state()).toMatchObject({ integration: 'pulled', isTargetMoved: true });
  });

  it('on a red main stop landing too, instead of being tried for ever', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.write({ type: 'publish-diverged', to: sha('c') });
    tale.startLanding();
    tale.build([[null, 'u']]);
    tale.test('u-tree', RED);
    tale.test('main-tree', RED);
    expect(tale.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'main-red' } });
    expect(canLand(tale.state())).toBe(false);
  });

  it('land like any other car', () => {
    const { tale, loops } = queued();
    tale.write({ type: 'publish-diverged', to: sha('c') });
    tale.startLanding();
    tale.build([[null, 'u']], { clashes: loops.map((loop) => ({ loop, main: false, paths: ['x'], with: [] })) });
    tale.test('u-tree');
    tale.advance('u');
    expect(tale.state()).toMatchObject({ integration: 'u', publishing: { diverged: false } });
    expect(boarding(tale.state(), 9)).toEqual(loops);
  });

  it('that conflict with what landed stop landing; a new host tries once more', () => {
    const { tale } = queued();
    const fence = tale.startLanding();
    tale.write({ type: 'upstream-conflicted', fence, head: sha('u'), paths: ['x'] });
    expect(tale.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'upstream-conflict', paths: ['x'] } });
    tale.join('h2');
    expect(canLand(tale.state())).toBe(true);
  });

  it('that were there already end the wish for them', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.write({ type: 'publish-diverged', to: sha('c') });
    expect(canLand(tale.state())).toBe(true);
    tale.startLanding();
    tale.build([], { base: sha('u') });
    expect(tale.state()).toMatchObject({ landing: null, integration: 'u', publishing: { diverged: false } });
    expect(canLand(tale.state())).toBe(false);
  });
});

describe('a failure while landing', () => {
  const failed = { type: 'command-failed', loop: null, code: 'E_GIT', message: 'broke' } as const;

  it('stops landing and leaves the cars in the queue: integration may have moved, and nobody is to blame', () => {
    const scene = train();
    const { fence } = scene.tale.state().landing!;
    scene.tale.write({ ...failed, command: 'advance-integration', fence: fence - 1 });
    expect(scene.tale.state().landing).not.toBeNull();
    scene.tale.write({ ...failed, command: 'build-train', fence });
    expect(scene.tale.state()).toMatchObject({ landing: null, landingTrouble: { kind: 'broken', detail: 'broke' } });
    expect(phases(scene)).toEqual(['ready', 'ready', 'ready']);
  });

  it('of one item puts that one aside', () => {
    const { tale, loops } = queued();
    tale.startLanding();
    tale.build(
      [
        [loops[1], 'c2'],
        [loops[2], 'c3'],
      ],
      { broken: [{ loop: loops[0], why: 'its head is gone' }] },
    );
    expect(tale.loop(loops[0]).phase).toMatchObject({ at: 'parked', reason: 'broken', detail: 'its head is gone' });
    expect(tale.state().landing?.stage.at).toBe('testing');
  });
});
