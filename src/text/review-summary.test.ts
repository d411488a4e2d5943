import { describe, expect, it } from 'vitest';
import { reviewSummary } from './review-summary.ts';

const FACTS = {
  loop: 'add-login-1a2b',
  task: 'add-login',
  title: 'Add login',
  branch: 'ralph/add-login-1a2b',
  head: '0123456789abcdef',
  base: 'main',
  remote: 'origin',
  remoteBranch: 'review/login',
  commits: ['Add the form'],
  files: ['form.ts'],
  gates: 'green',
};

describe('reviewSummary', () => {
  it('names branch, base, commits, files, gates, and the commands to paste', () => {
    const text = reviewSummary(FACTS);
    for (const part of [
      '`ralph/add-login-1a2b` at `0123456789ab`',
      'Base: `main`',
      '`Add the form`',
      '`form.ts`',
      '`green`',
    ])
      expect(text).toContain(part);
    expect(text).toContain('git fetch origin && git diff main...origin/review/login');
    expect(text).toContain('ralph loops merge add-login-1a2b');
  });

  it('keeps what others wrote from becoming more than text', () => {
    const text = reviewSummary({
      ...FACTS,
      title: '`x` [a](http://b)\n# Head\u001b[2J',
      commits: ['``two`` marks', ...Array.from({ length: 300 }, () => 'c')],
      files: [],
    });
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/^# Head/m);
    expect(text).toContain('- ``` ``two`` marks ```');
    expect(text).toContain('- and 101 more');
    expect(text).toContain('None.');
  });
});
