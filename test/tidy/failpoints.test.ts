import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../../src/world/os/failpoint.ts';
import { FAILPOINTS_OF } from '../../src/world/os/failpoint-ways.ts';
import { ROOT, readText, sourceFiles } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

const LOG_FOLDER = 'src/world/log/';

/** Every call by which a point is reached, by its name. In the log its points have names of their own. */
function reached(): readonly string[] {
  const files = sourceFiles().filter((path) => !path.endsWith('.test.ts') && !path.endsWith('/failpoint.ts'));
  return files.flatMap((path) => {
    const names = [...readText(path).matchAll(/\breach\('([^']+)'\)/g)].map(([, name = '']) => name);
    return names.map((name) => (path.startsWith(LOG_FOLDER) ? name.replace(/^(\w+):/, 'log.$1.') : name));
  });
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

describe('failpoints', () => {
  const calls = reached();

  it('are each reached at one place, and no other is', () => {
    const listed: readonly string[] = FAILPOINTS;
    expect({
      never: listed.filter((point) => !calls.includes(point)),
      unlisted: calls.filter((name) => !listed.includes(name)),
      twice: calls.filter((name, at) => calls.indexOf(name) !== at),
    }).toEqual({ never: [], unlisted: [], twice: [] });
  });

  it('lie in the way of every command', () => {
    expect(
      Object.entries(FAILPOINTS_OF).filter(([, points]) => points.length === 0),
      'commands that nothing can cut short',
    ).toEqual([]);
    const named = Object.values(FAILPOINTS_OF).flat();
    expect(named.filter((point) => !FAILPOINTS.includes(point))).toEqual([]);
  });

  it('are not in what ships', () => {
    const built = runNode(['scripts/build.mjs']);
    expect(built.code, built.output).toBe(0);
    const newest = currentFiles();
    expect(newest.length).toBeGreaterThan(10);
    for (const path of newest) {
      const text = readFileSync(path, 'utf8');
      const found = FAILPOINTS.filter((point) => text.includes(`'${point}'`) || text.includes(`"${point}"`));
      expect(found, path).toEqual([]);
      expect(text.includes('RALPH_FAILPOINTS'), path).toBe(false);
    }
  });
});

/** What main.js loads, at once or later: files of an earlier build may lie beside. */
function currentFiles(): readonly string[] {
  const folder = join(ROOT, 'dist');
  const all = filesBelow(folder);
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    for (const other of all) if (text.includes(`/${other.slice(other.lastIndexOf('/') + 1)}"`)) visit(other);
  };
  for (const name of ['main.js', 'driver.js']) visit(join(folder, name));
  return [...seen];
}
