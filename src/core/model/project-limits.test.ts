import { describe, expect, it } from 'vitest';
import { key, spent, task, tellTale } from '../../../test/sim/tale.ts';
import { NO_PROJECT_LIMITS, reachedLimit } from './project-limits.ts';

describe('limits of the project', () => {
  it('count every loop of every run, by the day or in all', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    tale.write({ type: 'day-began', day: '2026-11-16' });
    tale.iterate(tale.begin('a'), 'worked', 'x', 500, { usage: spent(1.5, 100) });
    tale.write({ type: 'host-left', host: 'h1' as never });
    tale.join('h1');
    const limit = { ...NO_PROJECT_LIMITS, maxCostUsd: 1.5 };
    expect(reachedLimit(tale.state(), limit)).toEqual({
      key: 'project.max_cost',
      spent: '$1.50 of $1.50 today',
      next: 'ralph config set project.max_cost 3',
    });
    expect(reachedLimit(tale.state(), { ...NO_PROJECT_LIMITS, iterations: 2 })).toBeNull();
    tale.write({ type: 'day-began', day: '2026-11-17' });
    expect(reachedLimit(tale.state(), limit)).toBeNull();
    expect(reachedLimit(tale.state(), { ...limit, per: 'total' })?.spent).toBe('$1.50 of $1.50 in total');
    // Told once more, the day has not begun anew.
    tale.iterate(tale.begin('b'), 'worked', 'y', 500, { usage: spent(2) });
    tale.write({ type: 'day-began', day: '2026-11-17' });
    expect(reachedLimit(tale.state(), limit)?.spent).toBe('$2.00 of $1.50 today');
  });

  it('count loops parked since the last one that was done, and none whose task a person has freed', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c'));
    const limits = { ...NO_PROJECT_LIMITS, consecutiveFailures: 1 };
    tale.iterate(tale.begin('a'), 'timed-out');
    expect(reachedLimit(tale.state(), limits)?.key).toBe('project.consecutive_failures');
    tale.ready('b');
    expect(reachedLimit(tale.state(), limits)).toBeNull();
    tale.iterate(tale.begin('c'), 'timed-out');
    expect(reachedLimit(tale.state(), limits)).not.toBeNull();
    tale.write({ type: 'task-reset', task: key('c') });
    expect(reachedLimit(tale.state(), limits)).toBeNull();
  });
});
