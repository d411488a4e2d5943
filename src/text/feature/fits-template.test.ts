import { describe, expect, it } from 'vitest';
import { fitsTemplate } from './fits-template.ts';

describe('fitsTemplate', () => {
  it('knows branches by what the template adds to a name', () => {
    expect(fitsTemplate('feature/<name>', 'feature/login')).toBe(true);
    expect(fitsTemplate('feature/{name}', 'feature/a/b')).toBe(true);
    expect(fitsTemplate('feature/<name>', 'feature/')).toBe(false);
    expect(fitsTemplate('feature/<name>', 'my-feature/login')).toBe(false);
    expect(fitsTemplate('f.x/<name>', 'fax/login')).toBe(false);
    expect(fitsTemplate('<repo>-<name>-wip', 'shop-login-wip')).toBe(true);
  });

  it('fits nothing where it would fit everything, or only one', () => {
    expect(fitsTemplate('<name>', 'main')).toBe(false);
    expect(fitsTemplate('main', 'main')).toBe(false);
  });
});
