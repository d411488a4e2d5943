import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const text = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

describe('what a default does is written where people look', () => {
  it('trip 20: tasks of one group run one after the other under "queue" too', () => {
    const row = text('docs/reference/config.md').match(/^\| `parallel\.strategy` .*$/m)?.[0] ?? '';
    expect(row).toMatch(/`"queue"`.*queue: .*tasks of one group one after the other/);
  });

  it('trip 20: the guide says why conflicts go back to their maker, and what stops instead', () => {
    const guide = text('docs/guide/landing.md').replaceAll(/\s+/g, ' ');
    expect(guide).toMatch(/goes back to its maker by default, and does not stop, because .*`strategy = "stop"`/);
  });
});
