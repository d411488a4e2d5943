import { expect, it } from 'vitest';
import { isCarried, looksInto } from './carry-patterns.ts';
import { overlaps, portBases } from './free-ports.ts';

const PATTERNS = {
  copy: ['!*.bak', '.env', '.env.*', '*.local', '.vscode/**', 'conf/*/keys/**', '!web/.env'],
};

it('a pattern without a slash counts everywhere, one with a slash from the root', () => {
  const carried = ['.env', 'api/.env', '.env.test', 'a.local', '.vscode/a/b.json', 'conf/x/keys/k'];
  expect(carried.filter((path) => !isCarried(PATTERNS, path))).toEqual([]);
  const left = ['env', 'src/.vscode/x', 'conf/keys/k', '.env.bak', 'web/.env'];
  expect(left.filter((path) => isCarried(PATTERNS, path))).toEqual([]);
});

it('folders that git knows nothing of are looked into only where a pattern names them', () => {
  const looked = ['.vscode', '.vscode/deep', 'conf', 'conf/x', 'conf/x/keys', 'conf/x/keys/old'];
  expect(looked.filter((folder) => !looksInto(PATTERNS, folder))).toEqual([]);
  expect(['src', 'x.local', '.env', 'conf/x/other'].filter((folder) => looksInto(PATTERNS, folder))).toEqual([]);
  const everywhere = { copy: ['**/.env', '*.local'] };
  expect(['node_modules', '.venv'].filter((folder) => looksInto(everywhere, folder))).toEqual([]);
});

it('ports: from where the repository says, and round', () => {
  const own = portBases(1_000_003);
  expect([own.length, Math.min(...own), Math.max(...own)]).toEqual([1276, 20_000, 32_750]);
  expect([own[0], own.at(-1)]).toEqual([20_000 + 10 * (1_000_003 % 1276), 20_000 + 10 * ((1_000_003 % 1276) - 1)]);
  expect(new Set(own).size).toBe(own.length);
  const range = { portBase: 20_000, portStep: 10 };
  expect([19_990, 19_991, 20_009, 20_010].map((portBase) => overlaps(range, { portBase, portStep: 10 }))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
