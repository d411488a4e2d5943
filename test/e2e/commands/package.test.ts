import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { bundle, PROJECT } from '../harness/bundle.ts';
import { everything } from '../harness/fingerprint.ts';
import { beside } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Never at a stretch: whoever runs the tests wants to hear from this process within a minute. */
const execute = promisify(execFile);

/** Packs the project and installs the tarball into an empty folder, with no network and an empty cache. */
async function installed(one: Scratch): Promise<string> {
  bundle();
  const env = { ...one.env, npm_config_cache: beside(one, 'npm-cache'), npm_config_update_notifier: 'false' };
  const npm = async (cwd: string, ...args: string[]): Promise<string> =>
    (await execute('npm', args, { cwd, env, encoding: 'utf8' })).stdout;
  const packed = JSON.parse(await npm(PROJECT, 'pack', '--json', '--pack-destination', one.root)) as {
    filename: string;
  }[];
  const folder = beside(one, 'somewhere');
  mkdirSync(folder);
  await npm(folder, 'init', '-y');
  await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', beside(one, packed[0]?.filename ?? ''));
  return folder;
}

describe('the package', () => {
  it('trip 17: installs from a clone as the README says', async () => {
    const one = scratch({ hasRepository: false });
    bundle();
    const said = readFileSync(join(PROJECT, 'README.md'), 'utf8');
    expect(said).toContain('npm run build && npm install --global .\n');
    const env = { ...one.env, npm_config_cache: beside(one, 'npm-cache'), npm_config_update_notifier: 'false' };
    const prefix = beside(one, 'prefix');
    mkdirSync(prefix);
    await execute('npm', ['install', '--global', '--offline', '--prefix', prefix, '.'], { cwd: PROJECT, env });
    const { stdout } = await execute(join(prefix, 'bin/ralph'), ['--version'], { cwd: one.root, env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('A1 installs from its tarball into an empty folder offline and runs: --version, and the demo, without identity or repository, in under a minute', async () => {
    const one = scratch({ hasRepository: false });
    const folder = await installed(one);
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
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/main.js', 'dist/driver.js']));
    expect(files.some((name) => name.startsWith('schema/') && name.endsWith('.json'))).toBe(true);

    const empty = beside(one, 'empty');
    mkdirSync(empty);
    const run = async (name: string, ...args: string[]): Promise<string> => {
      const argv = ['-c', 'exec "$@" 2>&1', 'sh', join(folder, 'node_modules/.bin', name), ...args];
      const options = { cwd: empty, env: one.env, encoding: 'utf8', timeout: 60_000 } as const;
      return (await execute('sh', argv, options)).stdout;
    };
    expect((await run('ralph', '--version')).trim()).toBe(manifest.version);
    expect((await run('paralph', '--version')).trim()).toBe(manifest.version);
    const home = everything(one.home);
    const shown = await run('ralph', 'demo');
    expect(shown).toMatch(/landed/i);
    expect(shown).toMatch(/green/i);
    expect(everything(empty)).toEqual({});
    expect(everything(one.home)).toEqual(home);
  });
});
