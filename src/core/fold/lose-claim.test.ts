import { describe, expect, it } from 'vitest';
import { GREEN, key, task, tellTale, TRACKER } from '../../../test/sim/tale.ts';
import { hostId } from '../model/ids.ts';
import { schedule } from '../plan/schedule.ts';

const opened = () => {
  const tale = tellTale();
  tale.read(task('a'), task('b'));
  tale.join('h1');
  return tale;
};

describe('a loop that has its task no more', () => {
  it('is put aside, and its task waits until the tracker was read anew', () => {
    const tale = opened();
    const a = tale.begin('a');
    const { fence } = tale.loop(a);
    tale.write({ type: 'claim-lost', loop: a, fence, why: 'bob has it', isFree: false });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'reset', detail: 'bob has it' });
    expect(tale.state().attempts[key('a')]).toBe(0);
    const waits = schedule(tale.state(), hostId('h1')).waits.filter((one) => one.task.id === 'a');
    expect(waits.map((one) => one.waiting)).toEqual([{ why: 'blocked', reason: 'bob has it' }]);
    // The list says the same as before it was claimed: it is open again.
    expect(tale.state().trackers[TRACKER]?.digest).toBe('');
    tale.read(task('a'), task('b'));
    expect(schedule(tale.state(), hostId('h1')).starts.map((one) => one.task)).toEqual([key('a'), key('b')]);
  });

  it('lets anybody begin it at once where a person took it back', () => {
    const tale = opened();
    const a = tale.begin('a');
    const { fence } = tale.loop(a);
    tale.write({ type: 'claim-lost', loop: a, fence, why: 'opened again', isFree: true });
    expect(schedule(tale.state(), hostId('h1')).starts.map((one) => one.task)).toContain(key('a'));
  });

  it('rides on no train, and a word about an older claim changes nothing', () => {
    const tale = opened();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    for (const one of [a, b]) {
      tale.iterate(one, 'claimed', `tree-${one}`);
      tale.gate(one, GREEN);
    }
    tale.startLanding();
    tale.build([
      [a, 'ca'],
      [b, 'cb'],
    ]);
    const { fence } = tale.loop(a);
    tale.write({ type: 'claim-lost', loop: a, fence: fence - 1, why: 'bob has it', isFree: false });
    expect(tale.loop(a).phase.at).toBe('ready');
    tale.write({ type: 'claim-lost', loop: a, fence, why: 'bob has it', isFree: false });
    expect(tale.state().landing).toBeNull();
    expect(tale.loop(b).phase.at).toBe('ready');
  });

  it('is told once more by a tracker whose task landed and was closed', () => {
    const tale = opened();
    const a = tale.ready('a');
    tale.land(a);
    tale.write({ type: 'task-closed', task: key('a') }, { type: 'task-closed', task: key('b') });
    expect(tale.state().landed[key('a')]).toMatchObject({ loop: a, isClosed: true });
    expect(tale.state().landed[key('b')]).toBeUndefined();
  });
});
