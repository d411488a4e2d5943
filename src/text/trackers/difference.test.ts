import { describe, expect, it } from 'vitest';
import type { Task } from '../../core/model/task.ts';
import { describeDifference } from './difference.ts';
import { parseTracker } from './tracker.ts';

const tasksOf = (lines: readonly string[]): readonly Task[] =>
  parseTracker('markdown', lines.map((line) => `- ${line}\n`).join('')).tasks;
const between = (ours: readonly string[], theirs: readonly string[]): string | null =>
  describeDifference({ tasks: tasksOf(ours), on: 'main' }, tasksOf(theirs), 'topic');

describe('what two versions of a task list say differently', () => {
  it('is nothing where they say the same, in whatever order', () => {
    expect(
      between(['[ ] a <!-- id: a -->', '[x] b <!-- id: b -->'], ['[x] b <!-- id: b -->', '[ ] a <!-- id: a -->']),
    ).toBeNull();
  });

  it('is named task by task', () => {
    expect(
      between(
        ['[x] a <!-- id: a -->', '[ ] b <!-- id: b -->', '[ ] c <!-- id: c -->'],
        ['[ ] a <!-- id: a -->', '[x] b <!-- id: b -->', '[ ] d <!-- id: d -->'],
      ),
    ).toBe('only on topic: d; only on main: c; done only on main: a; done only on topic: b');
    expect(between(['[ ] a <!-- id: a -->'], ['[ ] another <!-- id: a -->'])).toBe('written differently: a');
  });

  it('names some of many', () => {
    const many = Array.from({ length: 12 }, (_, at) => `[ ] t <!-- id: t${at} -->`);
    expect(between(['[ ] a <!-- id: a -->'], ['[ ] a <!-- id: a -->', ...many])).toMatch(
      /^only on topic: t0, .*, t9 and 2 more$/,
    );
  });
});
