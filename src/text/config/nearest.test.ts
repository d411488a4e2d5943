import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  it.each([
    ['merge_polcy', 'merge_policy'],
    ['marge_policy', 'merge_policy'],
    ['mergePolicy', 'merge_policy'],
    ['max-workers', 'max_workers'],
    ['MAX_WORKERS', 'max_workers'],
    ['axm_workers', 'max_workers'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, ['enabled', 'max_workers', 'merge_policy'])).toBe(meant);
  });

  it.each(['colour', 'x', ''])('does not guess at %j', (word) => {
    expect(nearest(word, ['enabled', 'max_workers'])).toBeNull();
  });
});
