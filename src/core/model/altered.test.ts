import { describe, expect, it } from 'vitest';
import { describeAltered } from './altered.ts';

describe('describeAltered', () => {
  it('names the gate, or all it may have been, and some of the files', () => {
    const altered = { by: ['npm test'], files: 2, paths: ['a', 'b'], committed: false };
    expect(describeAltered(altered)).toBe('gate `npm test` changed 2 tracked files: a, b');
    expect(describeAltered({ ...altered, by: ['x', 'y'], files: 9, committed: true })).toBe(
      'one of the gates `x`, `y` changed 9 tracked files and committed: a, b, and 7 more',
    );
    expect(describeAltered({ ...altered, files: 0, paths: [], committed: true })).toBe('gate `npm test` moved HEAD');
  });
});
