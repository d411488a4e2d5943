import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, readText, repositoryFiles } from './support/repository.ts';

/** Why this much: docs/adr/0004-bundled-package.md. */
const UNPACKED_BYTES_MAX = 3 * 1024 * 1024;
const { version } = JSON.parse(readText('package.json')) as { version: string };

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let folder = '';
let packed: Packed;

/** A shell without what npm tells its scripts, so that the inner npm behaves as one typed by hand. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
const run = (cwd: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const ralph = (cwd: string, ...args: string[]): string =>
  run(cwd, join(folder, 'user', 'node_modules', '.bin', 'ralph'), ...args);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paralph-tarball-'));
  const output = run(ROOT, 'npm', 'pack', '--json', '--pack-destination', folder);
  const [first] = JSON.parse(output.slice(output.search(/^\[/m))) as readonly Packed[];
  if (first == null) throw new Error(output);
  packed = first;
  mkdirSync(join(folder, 'user'));
  writeFileSync(join(folder, 'user', 'package.json'), '{"private":true}\n');
  run(join(folder, 'user'), 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it('holds the program, the schema, the plugin and the papers, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    const expected = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/THIRD-PARTY-NOTICES',
      'dist/bin/paralph',
      'dist/bin/ralph',
      'package.json',
      ...repositoryFiles().filter((path) => path.startsWith('plugin/')),
      'schema/answers.schema.json',
      'schema/ralph.schema.json',
      'share/justfile',
    ];
    expect(paths.filter((path) => !/^dist\/(?:chunks\/)?[\w.-]+\.js$/.test(path)).sort()).toEqual(expected.sort());
    expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'dist/driver.js']));
    expect(packed.unpackedSize).toBeLessThanOrEqual(UNPACKED_BYTES_MAX);
  });

  it('installs alone', () => {
    expect(
      run(join(folder, 'user', 'node_modules'), 'ls')
        .trim()
        .split('\n'),
    ).toEqual(['paralph']);
  });

  it('runs from where it is installed, under both names', () => {
    const repository = join(folder, 'repository');
    run(folder, 'git', 'init', '--quiet', repository);
    expect(ralph(repository, '--version')).toBe(`${version}\n`);
    expect(run(repository, join(folder, 'user', 'node_modules', '.bin', 'paralph'), '--version')).toBe(`${version}\n`);
    const program = join(folder, 'user', 'node_modules', 'paralph', 'dist', 'bin', 'ralph');
    expect(run(repository, program, '--version'), 'as agents find it').toBe(`${version}\n`);
    expect(ralph(repository, 'config', 'get', 'parallel.max_workers').trim()).toBe('3');
  });
});
