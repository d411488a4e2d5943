import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awaitShim, readShim, startShim } from '../../../src/world/processes/shim.ts';
import { bundleFixture } from '../fixtures/process-bundle.ts';
import { ENV, freshToken, runFolder, temporaryFolder } from '../fixtures/process-kit.ts';
import type { ShimStart } from '../../../src/world/processes/shim.ts';

const never = new AbortController().signal;

function shimStart(argv: readonly string[]): ShimStart {
  return { dir: runFolder(), argv, cwd: temporaryFolder(), env: ENV, token: freshToken() };
}

describe('a host in a process of its own', () => {
  it('case 47: killed outright, its agents go on and a later host gets every line and exit code', async () => {
    const host = await bundleFixture('process-host');
    const go = join(temporaryFolder(), 'go');
    const script = `echo before; while [ ! -e "$0" ]; do sleep 0.1; done; echo after; echo late >&2; exit "$1"`;
    const starts = Array.from({ length: 10 }, (_, index) => shimStart(['sh', '-c', script, go, String(index)]));
    const early = shimStart(['sh', '-c', 'exit 42']);
    const child = spawn(process.execPath, [host, 'start', JSON.stringify([early, ...starts])], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await awaitShim(early.dir, { signal: never });
    child.kill('SIGKILL');
    await once(child, 'exit');

    expect(readShim(early.dir)).toEqual({ state: 'exited', code: 42 });
    expect(starts.map((start) => readShim(start.dir).state)).toEqual(starts.map(() => 'running'));
    for (const start of starts) await expect(startShim(start)).rejects.toMatchObject({ code: 'E_BUSY' });
    writeFileSync(go, '');
    const ends = await Promise.all(starts.map((start) => awaitShim(start.dir, { signal: never, pollMs: 100 })));
    expect(ends).toEqual(starts.map((_, code) => ({ state: 'exited', code })));
    for (const { dir } of starts) {
      expect(readFileSync(join(dir, 'stdout.log'), 'utf8')).toBe('before\nafter\n');
      expect(readFileSync(join(dir, 'stderr.log'), 'utf8')).toBe('late\n');
    }
  });

  it('case 39: stays small beside an agent that writes 200 MB', async () => {
    const host = await bundleFixture('process-host');
    const bytes = 200 * 1024 * 1024;
    const start = shimStart(['sh', '-c', `head -c ${bytes} /dev/zero`]);
    const child = spawnSync(process.execPath, [host, 'watch', JSON.stringify([start])], { encoding: 'utf8' });
    const { end, rssKb } = JSON.parse(child.stdout) as { end: unknown; rssKb: number };
    expect(end).toEqual({ state: 'exited', code: 0 });
    expect(statSync(join(start.dir, 'stdout.log')).size).toBe(bytes);
    expect(statSync(join(start.dir, 'copy.log')).size).toBeLessThan(1_000_100);
    expect(rssKb).toBeLessThan(150 * 1024);
  });

  it('case 53: out of file handles, says so at every step and starts once when there are some again', async () => {
    const host = await bundleFixture('process-host');
    const start = shimStart(['sh', '-c', 'echo once']);
    const argv = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, host, 'starve', JSON.stringify([start])];
    const child = spawnSync('sh', argv, { encoding: 'utf8', timeout: 50_000 });
    const [, report] = child.stdout.split('\n');
    const { codes, states, spare } = JSON.parse(report ?? '') as { codes: string[]; states: string[]; spare: number };
    expect(spare).toBeGreaterThan(2);
    expect(new Set(codes)).toEqual(new Set(['E_PROCESS']));
    expect(new Set(states)).toEqual(new Set(['absent']));
    expect(await awaitShim(start.dir, { signal: never })).toEqual({ state: 'exited', code: 0 });
    expect(readFileSync(join(start.dir, 'stdout.log'), 'utf8')).toBe('once\n');
  });
});
