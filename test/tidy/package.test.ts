import { describe, expect, it } from 'vitest';
import { readText } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

type Json = Readonly<Record<string, unknown>>;

const about = JSON.parse(readText('package.json')) as Json;
const lock = JSON.parse(readText('package-lock.json')) as { readonly packages: Readonly<Record<string, Json>> };

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
const DEPENDENCY_KINDS = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
];

describe('the package', () => {
  it('needs no other package at run time', () => {
    expect(DEPENDENCY_KINDS.filter((kind) => kind in about)).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    const scripts = about['scripts'] as Json;
    expect(INSTALL_SCRIPTS.filter((name) => name in scripts)).toEqual([]);
  });

  it('pins every development package exactly', () => {
    const versions = Object.values(about['devDependencies'] as Readonly<Record<string, string>>);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('has a lock file that names no host', () => {
    const resolved = Object.entries(lock.packages).filter(([, entry]) => 'resolved' in entry);
    expect(resolved.map(([key]) => key)).toEqual([]);
  });

  it('has a lock file that `npm ci` accepts on every platform', () => {
    const script = `import { missingOptional } from './scripts/complete-lock.mjs';
      import { readFileSync } from 'node:fs';
      const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
      console.log(JSON.stringify(Object.keys(missingOptional(packages))));`;
    const { output } = runNode(['--input-type=module', '-e', script]);
    expect(JSON.parse(output), 'fix: node scripts/complete-lock.mjs').toEqual([]);
  });

  it('has the version of its lock file', () => {
    expect(lock.packages['']?.['version']).toBe(about['version']);
  });
});
