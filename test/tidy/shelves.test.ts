import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHELVES } from '../../scripts/lib/shelves.mjs';
import { ROOT, readText } from './support/repository.ts';

describe.each(SHELVES)('the shelves of $folder', ({ folder, order, flatMax }) => {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });

  it('are those of the order, and few files stand beside them', () => {
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.sort()).toEqual([...order].sort());
    const flat = entries.filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    expect(flat.length, flat.map(({ name }) => name).join(' ')).toBeLessThanOrEqual(flatMax);
  });

  it('have each their line on the map, in order', () => {
    const lines = [...readText('ARCHITECTURE.md').matchAll(/^- \*\*(?:([\w/]+)\/)?(\w+)\*\*: /gm)];
    const own = lines.filter(([, row]) => `src/${row}` === folder).map(([, , shelf]) => shelf);
    expect(own).toEqual(order);
  });
});
