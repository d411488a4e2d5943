import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { bundle, PROJECT } from './harness/bundle.ts';
import { everything } from './harness/fingerprint.ts';
import { beside } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';

interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Packs the project and installs the tarball into an empty folder, with no network and an empty cache. */
function installed(one: Scratch): string {
  bundle();
  const env = { ...one.env, npm_config_cache: beside(one, 'npm-cache'), npm_config_update_notifier: 'false' };
  const npm = (cwd: string, ...args: string[]): string =>
    execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  const packed = JSON.parse(npm(PROJECT, 'pack', '--json', '--pack-destination', one.root)) as { filename: string }[];
  const folder = beside(one, 'somewhere');
  mkdirSync(folder);
  npm(folder, 'init', '-y');
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', beside(one, packed[0]?.filename ?? ''));
  return folder;
}

describe('the package', () => {
  it('A1 installs from its tarball into an empty folder offline and runs: --version, and the demo, without identity or repository, in under a minute', () => {
    const one = scratch({ hasRepository: false });
    const folder = installed(one);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['paralph']);
    const root = join(folder, 'node_modules/paralph');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'gypfile']) {
      expect(Object.keys((manifest[field] as object | undefined) ?? {})).toEqual([]);
    }
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(Object.keys(manifest.scripts ?? {})).not.toContain(script);
    }
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.node$|\.gyp$|\.test\.|^src\//.test(name))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/main.js', 'dist/scripted-agent.js']));
    expect(files.some((name) => name.startsWith('schema/') && name.endsWith('.json'))).toBe(true);

    const empty = beside(one, 'empty');
    mkdirSync(empty);
    const run = (name: string, ...args: string[]): string =>
      execFileSync('sh', ['-c', 'exec "$@" 2>&1', 'sh', join(folder, 'node_modules/.bin', name), ...args], {
        cwd: empty,
        env: one.env,
        encoding: 'utf8',
        stdio: 'pipe',
        timeout: 60_000,
      });
    expect(run('ralph', '--version').trim()).toBe(manifest.version);
    expect(run('paralph', '--version').trim()).toBe(manifest.version);
    const home = everything(one.home);
    const shown = run('ralph', 'demo');
    expect(shown).toMatch(/landed/i);
    expect(shown).toMatch(/green/i);
    expect(everything(empty)).toEqual({});
    expect(everything(one.home)).toEqual(home);
  });
});
