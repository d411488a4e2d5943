import { describe, expect, it } from 'vitest';
import { choosePager, pagerVariables } from './pager.ts';

const choose = (env: Record<string, string>, settings: Record<string, string | null> = {}): string | null =>
  choosePager({ env, settings: new Map(Object.entries(settings)) });

describe('choosePager', () => {
  it('asks in the order in which git does', () => {
    const settings = { 'core.pager': 'delta', 'pager.diff': 'diffr' };
    expect(choose({ GIT_PAGER: 'most', PAGER: 'more' }, settings)).toBe('most');
    expect(choose({ PAGER: 'more' }, settings)).toBe('diffr');
    expect(choose({ PAGER: 'more' }, { 'core.pager': 'delta', 'pager.diff': 'true' })).toBe('delta');
    expect(choose({ PAGER: 'more' }, { 'pager.diff': null })).toBe('more');
    expect(choose({})).toBe('less');
  });

  it('is none where the user wants none', () => {
    expect(choose({ GIT_PAGER: 'cat' })).toBeNull();
    expect(choose({ PAGER: '' })).toBeNull();
    expect(choose({ GIT_PAGER: '' }, { 'core.pager': 'less' })).toBeNull();
    expect(choose({ PAGER: 'more' }, { 'pager.diff': 'false' })).toBeNull();
  });

  it('gives less what git gives it, unless the user did', () => {
    expect(pagerVariables({})).toEqual({ LESS: 'FRX', LV: '-c' });
    expect(pagerVariables({ LESS: '', LV: '-x' })).toEqual({});
  });
});
