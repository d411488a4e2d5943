import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

const BYTES_MAX = 60 * 1024;
const STATIC_IMPORT = /^(?:import|export)\b[^'"();]*?['"](\.[^'"]+)['"]/gm;

/** The files Node must read before the first line of `path` runs, with their sizes. */
function staticGraph(path: string, seen = new Map<string, number>()): ReadonlyMap<string, number> {
  if (seen.has(path)) return seen;
  const text = readFileSync(path, 'utf8');
  seen.set(path, Buffer.byteLength(text));
  for (const [, specifier] of text.matchAll(STATIC_IMPORT)) staticGraph(join(dirname(path), specifier ?? ''), seen);
  return seen;
}

describe('dist/main.js', () => {
  it('loads little before it knows the command', () => {
    const built = runNode(['scripts/build.mjs']);
    expect(built.code, built.output).toBe(0);
    const graph = staticGraph(join(ROOT, 'dist', 'main.js'));
    const bytes = [...graph.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes, [...graph].map(([path, size]) => `${size} ${path}`).join('\n')).toBeLessThanOrEqual(BYTES_MAX);
  });
});
