import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sha, sha } from '../../../src/core/model/ids.ts';
import type { GateSettings } from '../../../src/core/model/settings.ts';
import { openGateWorktrees } from '../../../src/world/gates/gate-worktree.ts';
import { openGates } from '../../../src/world/gates/gates.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { findMarked } from '../fixtures/process-kit.ts';
import { type Bundled, bundleChild, until } from '../bundled-child.ts';
import { provisions } from '../provisions.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let outer = '';
beforeEach(() => {
  scratch = scratchRepo();
  outer = dirname(scratch.dir);
  // What is no commit's is run in any folder of that name.
  mkdirSync(join(outer, 'gate-1'));
});
afterEach(() => scratch.remove());

const NEVER = new AbortController().signal;
const settings = (commands: readonly string[], more: Partial<GateSettings> = {}): GateSettings => ({
  commands,
  base: false,
  timeoutMs: 60_000,
  timeoutAuto: false,
  resources: {},
  uses: {},
  passEnv: [],
  ...more,
});

const run = (
  gates: GateSettings,
  more: { path?: string; commit?: Sha; timeoutMs?: number; signal?: AbortSignal } = {},
) =>
  openGates(findRepository(scratch.dir), gates, process.env).run({
    path: join(outer, 'gate-1'),
    commit: null,
    name: 'test',
    timeoutMs: null,
    signal: NEVER,
    force: NEVER,
    ...more,
  });

const tailOf = async (command: string, more: Partial<GateSettings> = {}, timeoutMs?: number): Promise<string> => {
  const ran = await run(settings([command], more), timeoutMs === undefined ? {} : { timeoutMs });
  expect(ran?.report).toMatchObject({ verdict: 'red', failing: command });
  return ran?.report.tail ?? '';
};

describe('a gate', () => {
  it('is green, red with the end of its output, or nothing when aborted', async () => {
    expect((await run(settings(['true', 'true'])))?.report).toEqual({ verdict: 'green', failing: null, tail: '' });
    expect(await tailOf('echo so; exit 3')).toBe('so\n');
    const stop = new AbortController();
    stop.abort();
    expect(await run(settings(['true']), { signal: stop.signal })).toBeNull();
  });

  it('is stopped after the smaller of the two times, and says so', async () => {
    // On a crowded machine the time may be over before it has said anything.
    expect(await tailOf('echo out; sleep 60', { timeoutMs: 300 }, 50_000)).toMatch(/^(out\n)?\(stopped after 0\.3s\)$/);
    expect(await tailOf('sleep 60', {}, 200)).toBe('(stopped after 0.2s)');
  });

  it('that was killed says by what; an exit code is no signal', async () => {
    expect(await tailOf('echo out; kill -KILL $$')).toBe('out\n(killed by SIGKILL)');
    expect(await tailOf('sh -c "kill -SEGV \\$\\$"; exit $?')).toContain('(killed by SIGSEGV)');
    expect(await tailOf('exit 129')).toBe('');
    expect(await tailOf('yes | head -1')).toMatch(/^y\n\(killed by SIGPIPE: .*head and grep -q/);
  });

  it('case 33: tells what was done to tracked files, and nothing of files that are new or ignored', async () => {
    const repo = findRepository(scratch.dir);
    scratch.write('.gitignore', 'out/\n');
    scratch.write('a.txt', 'a\n');
    const commit = sha(scratch.commit());
    const at = (command: string) =>
      openGateWorktrees(repo, join(outer, 'wt'), provisions()).withWorktree(commit, (path) =>
        run(settings([command]), { path, commit }),
      );
    expect((await at('mkdir out; touch out/x a.txt'))?.report).toEqual({ verdict: 'green', failing: null, tail: '' });
    expect((await at('echo new > new.txt'))?.report.altered).toBeUndefined();
    const altered = { by: ['rm a.txt; false'], files: 1, paths: ['a.txt'], committed: false };
    expect((await at('rm a.txt; false'))?.report).toMatchObject({ verdict: 'red', altered });
    const commits = await at('git -c user.name=g -c user.email=g@x commit -q --allow-empty -m x');
    expect(commits?.report).toMatchObject({ altered: { files: 0, paths: [], committed: true } });
    expect((await at('rm -r .git; git init -q'))?.report.altered, 'nobody can tell').toBeUndefined();
  });

  it('knows its slot, and leaves no note of its processes', async () => {
    const repo = findRepository(scratch.dir);
    const seen = join(outer, 'seen');
    const gates = settings([`echo "slot \${RALPH_GATE_SLOT-none}" >>'${seen}'`]);
    const { withWorktree } = openGateWorktrees(repo, join(outer, 'wt'), provisions());
    const head = sha(scratch.git('rev-parse', 'HEAD'));
    await withWorktree(
      head,
      async (path) => (await run(gates, { path }), withWorktree(head, (other) => run(gates, { path: other }))),
    );
    expect(readFileSync(seen, 'utf8')).toBe('slot 1\nslot 2\n');
    expect(readdirSync(join(scratch.dir, '.git/paralph/gates/gate-2')).sort()).toEqual(['commit', 'index']);
  });
});

describe('a resource', () => {
  // Fails when somebody is inside.
  const alone = (): string =>
    `mkdir '${outer}/room' && echo in >>'${outer}/log' && sleep 0.05 && rmdir '${outer}/room'`;
  const withDb = (command: string, places = 1): GateSettings =>
    settings([command], { resources: { 'the db/1': places }, uses: { 'the db/1': [command] } });
  const locks = (): string[] => readdirSync(join(scratch.dir, '.git/paralph/locks'));

  let program: Bundled;
  beforeAll(async () => {
    program = await bundleChild(`
      import { findRepository } from 'src/world/git/run/repository.ts';
      import { openGates } from 'src/world/gates/gates.ts';
      const [dir, gates, times, path] = process.argv.slice(2);
      const never = new AbortController().signal;
      const open = openGates(findRepository(dir), JSON.parse(gates), process.env);
      const one = () => open.run({ path, commit: null, name: 'child', timeoutMs: null, signal: never, force: never });
      const all = await Promise.all(Array.from({ length: Number(times) }, one));
      console.log(all.every((ran) => ran.report.verdict === 'green'));
    `);
  });
  afterAll(() => program.remove());

  it('with one place is never used twice at once, between processes', async () => {
    const gates = JSON.stringify(withDb(alone()));
    const outputs = ['1', '2', '3'].map(() => program.start(scratch.dir, gates, '4', join(outer, 'gate-1')).output);
    expect(await Promise.all(outputs)).toEqual(['true\n', 'true\n', 'true\n']);
    expect(readFileSync(join(outer, 'log'), 'utf8')).toBe('in\n'.repeat(12));
    expect(locks()).toEqual([]);
  });

  it('with two places lets two in', async () => {
    // Each waits for the other to have come.
    const meet = (one: string, other: string): string =>
      `: >'${outer}/${one}'; until [ -e '${outer}/${other}' ]; do sleep 0.01; done`;
    const [left, right] = [meet('l', 'r'), meet('r', 'l')];
    const gates = { resources: { db: 2 }, uses: { db: [left, right] } };
    const ran = await Promise.all([run(settings([left], gates)), run(settings([right], gates))]);
    expect(ran.map((one) => one?.report.verdict)).toEqual(['green', 'green']);
  });

  it('that is waited for counts neither as time nor for the limit, and the wait can be aborted', async () => {
    const inside = join(outer, 'inside');
    const go = join(outer, 'go');
    const hold = `: >'${inside}'; until [ -e '${go}' ]; do sleep 0.01; done`;
    const first = run(withDb(hold));
    await until('the first is inside', () => existsSync(inside));
    const stop = new AbortController();
    const aborted = run(withDb('true'), { signal: stop.signal });
    const second = run({ ...withDb('true'), timeoutMs: 5000 });
    stop.abort();
    expect(await aborted).toBeNull();
    writeFileSync(go, '');
    expect((await first)?.report.verdict).toBe('green');
    expect((await second)?.report.verdict).toBe('green');
    expect(locks()).toEqual([]);
  });

  it('of several is taken in one order, so two gates never wait for each other', async () => {
    const gates = (uses: readonly string[]): GateSettings =>
      settings([alone()], {
        resources: { a: 1, b: 1 },
        uses: Object.fromEntries(uses.map((name) => [name, [alone()]])),
      });
    const all = Array.from({ length: 6 }, (_, at) => run(gates(at % 2 === 0 ? ['a', 'b'] : ['b', 'a'])));
    expect((await Promise.all(all)).map((ran) => ran?.report.verdict)).toEqual(
      Array.from({ length: 6 }, () => 'green'),
    );
  });

  it('and a slot of a host that died are free, and its gate is ended first', async () => {
    const pid = join(outer, 'pid');
    const stays = `echo "$RALPH_GATE_MARK" >'${pid}.tmp'; mv '${pid}.tmp' '${pid}'; sleep 600`;
    const { child, output } = program.start(scratch.dir, JSON.stringify(withDb(stays)), '1', join(outer, 'gate-1'));
    await until('its gate runs', () => existsSync(pid));
    const token = readFileSync(pid, 'utf8').trim();
    child.kill('SIGKILL');
    await output.catch(() => {});
    expect(findMarked(token).length).toBeGreaterThan(0);
    expect((await run(withDb('true')))?.report.verdict).toBe('green');
    expect(findMarked(token)).toEqual([]);
  });
});
