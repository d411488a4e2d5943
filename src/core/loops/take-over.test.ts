import { describe, expect, it } from 'vitest';
import type { Tale } from '../../../test/sim/tale.ts';
import { GREEN, key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { LoopId } from '../model/ids.ts';
import { hostId, loopId, sha } from '../model/ids.ts';
import { boarding } from './landing-queue.ts';
import { standing } from '../views/standing.ts';
import type { HostPolicy } from '../model/model.ts';
import { unlandedBefore } from './take-over.ts';

const BRANCH = 'feature/x';
const THERE: HostPolicy['place'] = { at: 'checkout', path: '/w/x', branch: BRANCH };

function begin(tale: Tale, name: string, branch = BRANCH): LoopId {
  const [id, host] = [loopId(`${name}-loop`), hostId(`host-${name}`)];
  tale.join(host, { place: THERE, slots: 1 });
  tale.write({ type: 'task-claimed', loop: id, task: key(name), host, slot: 1, branch, onto: [] });
  const { fence } = tale.loop(id);
  const at = { base: sha('base'), baseTree: sha('base-tree'), head: sha('base'), tree: sha('base-tree') };
  tale.write({ type: 'worktree-made', loop: id, fence, path: '/w/x', ...at, reused: true });
  return id;
}

function opened(): Tale {
  const tale = tellTale();
  tale.read(task('a'), task('b'), task('c'));
  return tale;
}

describe('a loop on the branch of another', () => {
  it('takes the place of one that was interrupted, and lands without it', () => {
    const tale = opened();
    const a = begin(tale, 'a');
    tale.iterate(a, 'interrupted', 'part');
    tale.write({ type: 'host-left', host: hostId('host-a') });
    const b = begin(tale, 'b');
    expect(tale.loop(a).phase).toMatchObject({ reason: 'replaced', detail: 'loop b-loop continues on its branch' });
    expect(standing(tale.state(), tale.loop(a))).toMatchObject({ state: 'parked', reason: 'replaced' });
    tale.iterate(b, 'claimed', 'whole');
    tale.gate(b, GREEN);
    expect(boarding(tale.state(), 9)).toEqual([b]);
    // An older host says so: nothing comes of it.
    tale.startLanding('host-b');
    tale.build([[b, 'l']], { implied: [{ loop: b, onto: [a] }] });
    expect(tale.loop(b)).toMatchObject({ onto: [], phase: { at: 'ready' } });
  });

  it('leaves alone who is at work, on the way to land, or a person’s to look at', () => {
    const tale = opened();
    const a = begin(tale, 'a');
    begin(tale, 'b');
    expect(tale.loop(a).phase.at).toBe('iterating');
    tale.iterate(a, 'claimed', 'whole');
    tale.gate(a, GREEN);
    const c = begin(tale, 'c');
    expect(tale.loop(a).phase).toMatchObject({ at: 'ready', queued: true });
    tale.iterate(c, 'worked', 'x', 1, { breach: { did: ['x'], kept: [], restored: [] } });
    tale.write({ type: 'host-left', host: hostId('host-b') });
    tale.join('again', { place: THERE });
    tale.write({ type: 'loop-adopted', loop: loopId('b-loop'), host: hostId('again'), slot: 1 });
    expect(tale.loop(c).phase).toMatchObject({ reason: 'tampered' });
  });

  it('gives way to the older one when a person goes on with that', () => {
    const tale = opened();
    const a = begin(tale, 'a');
    tale.write({ type: 'loop-stopped', loop: a, now: true });
    const b = begin(tale, 'b');
    tale.iterate(b, 'claimed', 'whole');
    tale.gate(b, RED);
    tale.write({ type: 'loop-stopped', loop: b, now: true }, { type: 'loop-resumed', loop: a });
    expect(tale.loop(b).phase).toMatchObject({ reason: 'stopped' });
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('host-a'), slot: 1 });
    expect([tale.loop(a).host, tale.loop(b).phase]).toMatchObject(['host-a', { reason: 'replaced' }]);
  });

  it('begins after what has not landed there, and on another branch after nothing', () => {
    const tale = opened();
    const a = begin(tale, 'a');
    tale.write({ type: 'host-left', host: hostId('host-a') });
    const apart = begin(tale, 'b', 'feature/y');
    expect(unlandedBefore(tale.state(), tale.loop(apart))).toBeNull();
    expect(tale.loop(a).phase.at).toBe('iterating');
    const c = begin(tale, 'c');
    expect(unlandedBefore(tale.state(), tale.loop(c))?.id).toBe(a);
    tale.iterate(c, 'claimed', 'whole');
    tale.gate(c, GREEN);
    tale.startLanding('host-c');
    tale.build([], { contained: [{ loop: c, commit: sha('c') }] });
    expect(unlandedBefore(tale.state(), { ...tale.loop(apart), branch: BRANCH, fence: 99 })).toBeNull();
  });
});
