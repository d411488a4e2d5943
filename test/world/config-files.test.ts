import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdirSync, realpathSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/model/errors.ts';
import { LANDING_VARIABLES } from '../../src/text/config/landing-template.ts';
import { problemLine } from '../../src/text/config/layer.ts';
import { checkConfig, configError, userConfigFile, writeConfigKey } from '../../src/world/config-files.ts';
import type { ConfigPlaces, LoadedConfig } from '../../src/world/config-files.ts';
import { findRepository } from '../../src/world/git/run/repository.ts';
import type { Repository } from '../../src/world/git/run/repository.ts';

let folder: string;
let root: string;
let repo: Repository;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'config files ')));
  root = path.join(folder, 'checkout');
  env = { HOME: path.join(folder, 'home') };
  mkdirSync(root);
  execFileSync('git', ['init', '-q', '-b', 'main', root]);
  repo = findRepository(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const flags = new Map<string, string>();
const write = (file: string, text: string | Buffer): string => {
  const full = path.resolve(root, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
};
const problems = async (): Promise<string[]> => (await checkConfig({ repo, env, flags })).problems.map(problemLine);
const failure = async (action: Promise<unknown>): Promise<AppError> => {
  const error = await action.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
  return error;
};

/** What a command does that cannot go on with a wrong configuration. */
async function loadConfig(places: ConfigPlaces): Promise<LoadedConfig> {
  const config = await checkConfig(places);
  if (config.problems.length > 0) throw configError(config.problems, 'ralph config check');
  return config;
}

describe('loadConfig', () => {
  it('settles on defaults where there is no file', async () => {
    const { settings, files } = await loadConfig({ repo, env, flags });
    expect(files).toEqual([]);
    expect(settings.parallel).toMatchObject({ enabled: false, maxWorkers: 3 });
  });

  it('reads user, repo and local files, variables and flags, the stronger winning', async () => {
    const user = write(
      path.join(folder, 'home/.config/ralph/config.toml'),
      'agent = "user"\n[limits]\ngrace = 1\nattempts = 1\n',
    );
    const own = write('.ralph/ralph.toml', 'agent = "repo"\n[limits]\nattempts = 2\niterations = 2\n');
    const local = write('ralph.local.toml', '[limits]\nattempts = 3\niterations = 3\nno_progress = 3\n');
    env['RALPH_LIMITS_NO_PROGRESS'] = '4';
    env['RALPH_PARALLEL_MAX_WORKERS'] = '4';
    const { settings, files, origins } = await loadConfig({
      repo,
      env,
      flags: new Map([['parallel.max_workers', '5']]),
    });
    expect(files).toEqual([user, own, local]);
    expect(settings.agent).toBe('repo');
    expect(settings.limits).toMatchObject({ graceMs: 1000, attempts: 3, iterations: 3, noProgress: 4 });
    expect(settings.parallel.maxWorkers).toBe(5);
    expect(origins.get('agent')).toEqual({ kind: 'repo', name: '.ralph/ralph.toml', line: 1 });
    expect(origins.get('limits.grace')).toEqual({ kind: 'user', name: user, line: 3 });
  });

  it('throws every problem of every layer at once', async () => {
    write('ralph.toml', '[parallel]\nmax_workers = 10000\nmerge_polcy = "pr"\n');
    write('ralph.local.toml', 'agent = [\n');
    env['RALPH_GATES_TIMEOUT'] = 'soon';
    const error = await failure(loadConfig({ repo, env, flags: new Map([['colour', 'x']]) }));
    expect([error.code, error.message, error.remedy]).toEqual([
      'E_CONFIG',
      'the configuration has 5 problems',
      'ralph config check',
    ]);
    expect(error.facts.slice(0, 2)).toEqual([
      'ralph.toml:2:15 `parallel.max_workers` must be a whole number from 1 to 256, not 10000',
      'ralph.toml:3:1 unknown key `parallel.merge_polcy`, did you mean `merge_policy`?',
    ]);
    expect(error.facts.map((fact) => fact.split(' ')[0])).toContain('RALPH_GATES_TIMEOUT');
    expect(error.facts.some((fact) => fact.startsWith('ralph.local.toml:1:'))).toBe(true);
    expect(error.facts.some((fact) => fact.startsWith('--set colour unknown key'))).toBe(true);
  });

  it('loads no TOML parser unless there is a file to read', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^import (?!type )[^;]*? from '([^']+)';/gms)) {
        if (name.startsWith('.')) visit(path.resolve(path.dirname(file), name));
        else seen.add(name);
      }
    };
    visit(path.resolve(import.meta.dirname, '../../src/world/config-files.ts'));
    expect([...seen].some((name) => name.endsWith('text/config/settle.ts'))).toBe(true);
    expect([...seen].filter((name) => name.includes('toml-'))).toEqual([]);
  });
});

describe('checkConfig', () => {
  it('refuses two files of one kind, naming both', async () => {
    write('ralph.toml', '');
    write('.ralph/ralph.toml', '');
    expect(await problems()).toEqual(['.ralph/ralph.toml:1:1 and ralph.toml both exist; keep one of the two']);
  });

  it('reports what is not a readable text file, without waiting on it', async () => {
    const file = path.join(root, 'ralph.toml');
    execFileSync('mkfifo', [file]);
    expect(await problems()).toEqual(['ralph.toml:1:1 is not a plain file']);
    rmSync(file);
    mkdirSync(file);
    expect(await problems()).toEqual(['ralph.toml:1:1 is not a plain file']);
    rmSync(file, { recursive: true });
    symlinkSync('nowhere', file);
    expect(await problems()).toEqual(['ralph.toml:1:1 cannot be read: ENOENT']);
    rmSync(file);
    write('ralph.toml', Buffer.from([0x61, 0xff, 0xfe]));
    expect(await problems()).toEqual(['ralph.toml:1:1 is not UTF-8 text']);
    truncateSync(file, 3 * 2 ** 30);
    expect(await problems()).toEqual(['ralph.toml:1:1 is larger than 1 MB']);
    write('ralph.toml', '\uFEFFagent = 5\n');
    expect(await problems()).toEqual(['ralph.toml:1:9 `agent` must be a non-empty text on one line, not 5']);
  });

  it('takes a file where a folder could be as no configuration', async () => {
    write('.ralph', 'not a folder');
    expect(await problems()).toEqual([]);
  });
});

describe('userConfigFile', () => {
  it('follows XDG_CONFIG_HOME only when it is absolute', () => {
    expect(userConfigFile({ HOME: '/h', XDG_CONFIG_HOME: '/x' })).toBe('/x/ralph/config.toml');
    expect(userConfigFile({ HOME: '/h', XDG_CONFIG_HOME: 'x' })).toBe('/h/.config/ralph/config.toml');
    expect(userConfigFile({ HOME: '/h' })).toBe('/h/.config/ralph/config.toml');
  });
});

describe('writeConfigKey', () => {
  it('makes ralph.toml when there is none', async () => {
    expect(await writeConfigKey(root, 'parallel.max-workers', '4')).toBe(path.join(root, 'ralph.toml'));
    expect(readFileSync(path.join(root, 'ralph.toml'), 'utf8')).toBe('[parallel]\nmax_workers = 4\n');
  });

  it('edits the file there is, keeps its comments and mode, and leaves nothing behind', async () => {
    const file = write('.ralph/ralph.toml', '# mine\n[gates]\ntimeout = "5m" # short\n');
    chmodSync(file, 0o600);
    expect(await writeConfigKey(root, 'gates.commands', 'npm test, npm run lint')).toBe(file);
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\n[gates]\ntimeout = "5m" # short\ncommands = ["npm test", "npm run lint"]\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.join(root, '.ralph'))).toEqual(['ralph.toml']);
    expect(existsSync(path.join(root, 'ralph.toml'))).toBe(false);
  });

  it('mends a value that was refused', async () => {
    write('ralph.toml', '[parallel]\nmax_workers = 10000\n');
    await writeConfigKey(root, 'parallel.max_workers', '8');
    expect((await loadConfig({ repo, env, flags })).settings.parallel.maxWorkers).toBe(8);
  });

  it('writes nothing when the key, the value or the file is not right', async () => {
    const file = write('ralph.toml', '[gates\n');
    for (const [key, text] of [
      ['parallel.max_wokers', '4'],
      ['parallel.max_workers', '1000'],
      ['parallel.max_workers', '4'],
    ] as const) {
      const error = await failure(writeConfigKey(root, key, text));
      expect(error.code).toBe('E_CONFIG');
      expect(error.facts).toHaveLength(1);
    }
    expect(readFileSync(file, 'utf8')).toBe('[gates\n');
    write('.ralph/ralph.toml', '');
    expect((await failure(writeConfigKey(root, 'agent', 'x'))).facts).toEqual([
      '.ralph/ralph.toml:1:1 and ralph.toml both exist; keep one of the two',
    ]);
  });

  it('follows a link inside the checkout and refuses one that leaves it', async () => {
    const real = write('conf/real.toml', 'agent = "a"\n');
    symlinkSync('conf/real.toml', path.join(root, 'ralph.toml'));
    expect(await writeConfigKey(root, 'agent', 'b')).toBe(real);
    expect(readFileSync(real, 'utf8')).toBe('agent = "b"\n');
    expect(lstatSync(path.join(root, 'ralph.toml')).isSymbolicLink()).toBe(true);

    const outside = write(path.join(folder, 'outside.toml'), 'agent = "a"\n');
    rmSync(path.join(root, 'ralph.toml'));
    symlinkSync(outside, path.join(root, 'ralph.toml'));
    expect((await failure(writeConfigKey(root, 'agent', 'b'))).message).toContain('leads out of the checkout');
    expect(readFileSync(outside, 'utf8')).toBe('agent = "a"\n');

    rmSync(path.join(root, 'ralph.toml'));
    symlinkSync(path.join(folder, 'new.toml'), path.join(root, 'ralph.toml'));
    expect((await failure(writeConfigKey(root, 'agent', 'b'))).message).toContain('leads nowhere');
    expect(existsSync(path.join(folder, 'new.toml'))).toBe(false);

    rmSync(path.join(root, 'ralph.toml'));
    mkdirSync(path.join(folder, 'elsewhere'));
    write(path.join(folder, 'elsewhere/ralph.toml'), 'agent = "a"\n');
    symlinkSync(path.join(folder, 'elsewhere'), path.join(root, '.ralph'));
    expect((await failure(writeConfigKey(root, 'agent', 'b'))).message).toContain('leads out of the checkout');
  });
});

describe('the guide to landing', () => {
  const guide = readFileSync(new URL('../../docs/guide/landing.md', import.meta.url), 'utf8');
  const examples = [...guide.matchAll(/^```toml\n([^]*?)^```/gm)].map(([, text = '']) => text);

  it('has examples', () => expect(examples.length).toBeGreaterThan(3));

  it.each(examples)('shows what may be written (case %#)', async (text) => {
    write('ralph.toml', text);
    expect(await problems()).toEqual([]);
  });

  it.each([...LANDING_VARIABLES, 'gate_slots', 'max_attempts', 'flake_retries'])('tells of %s', (name) =>
    expect(guide).toContain(`\`${name}\``),
  );
});
