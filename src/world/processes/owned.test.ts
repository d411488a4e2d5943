import { describe, expect, it } from 'vitest';
import { ownedEntries } from './stop-tree.ts';
import type { ProcessEntry } from './process-entry.ts';

const SELF = 1;
const LEADER = 100;

function entry(pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parent: SELF,
    group: pid,
    startTime: '5',
    zombie: false,
    stopped: false,
    token: null,
    loop: null,
    ...more,
  };
}

function owned(entries: readonly ProcessEntry[], known: readonly number[] = []): number[] {
  const claim = { token: 't', group: LEADER, known: new Set(known), self: SELF };
  return ownedEntries(entries, claim).map((one) => one.pid);
}

describe('ownedEntries', () => {
  it('picks the marked, never itself', () => {
    expect(owned([entry(SELF, { token: 't' }), entry(7, { token: 't' }), entry(8, { token: 'u' }), entry(9)])).toEqual([
      7,
    ]);
  });

  it('picks descendants at any depth, in any order', () => {
    const entries = [
      entry(4, { parent: 3 }),
      entry(3, { parent: LEADER }),
      entry(LEADER),
      entry(5, { parent: 6 }),
      entry(6),
    ];
    expect(owned(entries, [LEADER]).sort((a, b) => a - b)).toEqual([100, 3, 4].sort((a, b) => a - b));
  });

  it('picks the group once one member is proven', () => {
    const members = [entry(3, { group: LEADER }), entry(4, { group: LEADER })];
    expect(owned(members)).toEqual([]);
    expect(owned(members, [4]).sort((a, b) => a - b)).toEqual([3, 4]);
    expect(owned([...members, entry(5, { group: LEADER, token: 't' })]).sort((a, b) => a - b)).toEqual([3, 4, 5]);
  });

  it('does not take a stranger that has the pid of the leader', () => {
    expect(owned([entry(LEADER), entry(3, { parent: LEADER, group: LEADER }), entry(9, { token: 't' })])).toEqual([9]);
  });
});
