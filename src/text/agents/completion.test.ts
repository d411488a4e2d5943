import { describe, expect, it } from 'vitest';
import { claimsDone } from './completion.ts';

describe('claimsDone', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['All done.\n<promise>COMPLETE</promise>', true],
    ['<promise>COMPLETE</promise>\n\n  ', true],
    ['I will print <promise>COMPLETE</promise> when the tests pass.', false],
    ['<promise>COMPLETE</promise>\nbut one thing is missing', false],
    ['<promise>DONE</promise>', false],
    ['COMPLETE', false],
    ['', false],
  ];
  it.each(cases)('%j: %s', (text, done) => expect(claimsDone(text, 'COMPLETE')).toBe(done));

  it('takes the promise from the settings', () =>
    expect(claimsDone('<promise>SHIPPED</promise>', 'SHIPPED')).toBe(true));
});
