import { expect, it } from 'vitest';
import { isCarried, looksInto } from './carry-patterns.ts';
import { freePorts } from './free-ports.ts';

const PATTERNS = {
  copy: ['.env', '.env.*', '*.local', '.vscode/**', 'conf/*/keys/**'],
  exclude: ['*.bak', 'web/.env'],
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
  const everywhere = { copy: ['**/.env', '*.local'], exclude: [] };
  expect(['node_modules', '.venv'].filter((folder) => looksInto(everywhere, folder))).toEqual([]);
});

it('ports: the lowest range that overlaps with nobody’s', () => {
  const base = { portBase: 20_000, portStep: 10 };
  expect(freePorts([], base)).toBe(20_000);
  expect(freePorts([base, { portBase: 20_020, portStep: 10 }], base)).toBe(20_010);
  expect(freePorts([{ portBase: 19_995, portStep: 10 }], base)).toBe(20_010);
  expect(freePorts([{ portBase: 65_530, portStep: 6 }], { portBase: 65_530, portStep: 6 })).toBe(null);
});
