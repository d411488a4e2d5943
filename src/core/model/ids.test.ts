import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slug } from './ids.ts';

/** Every code point alike, also those that are half a pair. */
const anyText = fc.array(fc.nat(0x10ffff), { maxLength: 80 }).map((points) => String.fromCodePoint(...points));

describe('slug', () => {
  it('keeps what is plain, and turns the rest into single dashes', () => {
    expect(slug('Add OAuth 2.0  (Google)!')).toBe('add-oauth-2-0-google');
    expect(slug('Crème brûlée')).toBe('creme-brulee');
    expect(slug('../../etc/passwd')).toBe('etc-passwd');
    expect(slug('日本語')).toBe('task');
    expect(slug('')).toBe('task');
  });

  it('is a file name, a branch part and a shell word, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = slug(text);
        expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(name.length).toBeLessThanOrEqual(40);
        expect(slug(name)).toBe(name);
      }),
    );
  });
});
