import { describe, expect, it } from 'vitest';
import { nextCommand } from './next-command.ts';

describe('nextCommand', () => {
  it('names the command that moves a task on, or none', () => {
    expect(nextCommand('ready', 'a', false)).toBe('ralph land a');
    for (const status of ['interrupted', 'orphaned'] as const)
      expect(nextCommand(status, 'a', false)).toBe('ralph run --parallel');
    expect(nextCommand('parked', 'a', true)).toBe('ralph land a');
    expect(nextCommand('parked', "it's", false)).toBe(`ralph tasks reset 'it'\\''s'`);
    for (const status of ['waiting', 'blocked', 'running', 'queued', 'landing', 'landed', 'done'] as const)
      expect(nextCommand(status, 'a', false)).toBeNull();
  });
});
