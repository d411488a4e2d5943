import { describe, expect, it } from 'vitest';
import { hostId } from '../core/model/ids.ts';
import { EMPTY_STATE } from '../core/model/model.ts';
import type { Host, State } from '../core/model/model.ts';
import { createHostLook } from './watch-hosts.ts';

const [me, a, b] = [hostId('h-me'), hostId('h-a'), hostId('h-b')];
const markOf = (pid: number) => ({ pid, startTime: '1', bootId: 'boot' });
const hostOf = (id: Host['id'], pid: number) => ({ id, mark: markOf(pid), state: 'up' }) as Host;
const state: State = { ...EMPTY_STATE, hosts: { [me]: hostOf(me, 1), [a]: hostOf(a, 2), [b]: hostOf(b, 3) } };

/** Looks once a second at what `stopped` says, and tells at which seconds who was reported. */
function reports(seconds: number, stopped: (pid: number, at: number) => boolean, isAwake = (_at: number) => true) {
  let at = 0;
  const look = createHostLook({
    hosts: { own: markOf(1), isAlive: () => true, isStopped: ({ pid }) => stopped(pid, at) },
    clock: { nowMs: () => 0, today: () => '2026-11-16', awakeMs: () => at * 1000, sleep: () => Promise.resolve() },
  });
  const told: Record<string, number[]> = {};
  for (; at <= seconds; at += 1)
    if (isAwake(at)) for (const id of look(state, me).stoppedHosts) (told[id] ??= []).push(at);
  return told;
}

describe('a host that is suspended', () => {
  it('is reported when it was seen so for ten seconds, and as long as it is', () => {
    expect(reports(14, (pid, at) => pid === 2 && at >= 2 && at < 14)).toEqual({ [a]: [12, 13] });
  });

  it('is not reported when it went on in between', () => {
    expect(reports(20, (pid, at) => pid === 2 && at !== 9)).toEqual({ [a]: [20] });
    expect(reports(9, () => true)).toEqual({});
  });

  it('is not reported by one that was suspended itself, before it has looked for long enough', () => {
    expect(
      reports(
        22,
        (pid) => pid === 3,
        (at) => at < 5 || at >= 12,
      ),
    ).toEqual({ [b]: [22] });
  });
});

describe('a host whose process is gone', () => {
  it('is reported at once', () => {
    const look = createHostLook({
      hosts: { own: markOf(1), isAlive: ({ pid }) => pid === 2, isStopped: () => false },
      clock: { nowMs: () => 0, today: () => '2026-11-16', awakeMs: () => 0, sleep: () => Promise.resolve() },
    });
    expect(look(state, me)).toEqual({ deadHosts: [b], stoppedHosts: [] });
  });
});
