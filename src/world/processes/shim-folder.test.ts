import { describe, expect, it } from 'vitest';
import { pickShim } from './shim-folder.ts';
import type { ProcessEntry } from './process-entry.ts';

function entry(pid: number, parent: number, group: number, token: string | null = 't'): ProcessEntry {
  return { pid, parent, group, startTime: '5', zombie: false, stopped: false, token, loop: null };
}

describe('pickShim', () => {
  const shim = entry(90, 1, 90);
  const agent = entry(91, 90, 90);
  const apart = entry(12, 91, 12);

  it('wants both the token and the pid', () => {
    expect(pickShim([apart, shim, agent], 't', 90)).toBe(shim);
    expect(pickShim([apart, agent], 't', 90)).toBeNull();
    expect(pickShim([entry(90, 1, 90, 'u'), entry(90, 1, 90, null)], 't', 90)).toBeNull();
  });

  it('without a pid, takes the group leader that nothing marked has started', () => {
    expect(pickShim([apart, shim, agent], 't', null)).toBe(shim);
    expect(pickShim([entry(5, 1, 5, 'u')], 't', null)).toBeNull();
  });
});
