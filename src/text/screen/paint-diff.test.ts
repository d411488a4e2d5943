import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paintDiff } from './paint-diff.ts';

const painted = (parts: readonly string[], isPlain: boolean): string => {
  const { take, rest } = paintDiff(isPlain);
  return parts.map(take).join('') + rest();
};

describe('paintDiff', () => {
  it('colours whole lines, wherever the parts are cut', () => {
    const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n\\ no newline';
    const whole = painted([diff], false);
    expect(whole).toContain('\u001b[31m-old\u001b[m\n\u001b[32m+new\u001b[m\n same\n');
    fc.assert(
      fc.property(fc.array(fc.nat(diff.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), diff.length];
        const parts = at.slice(1).map((end, index) => diff.slice(at[index], end));
        expect(painted(parts, false)).toBe(whole);
      }),
    );
  });

  it('lets nothing through that steers a terminal, and no line hides the next', () => {
    expect(painted(['+\u001b]0;owned\u0007plain\r\n+\u001b]0;never ends\n+seen\n'], true)).toBe('+plain\n+\n+seen\n');
    const long = `+${'x'.repeat(70_000)}\u001b`;
    const [first, ...more] = [paintDiff(true)].map(({ take, rest }) => [take(long), take('[31my'), rest()]);
    expect(more).toEqual([]);
    expect(first?.join('')).toBe(`+${'x'.repeat(70_000)}[31my`);
    expect(first?.[0], 'is not held until it ends').toHaveLength(70_001);
  });
});
