import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { crashAt } from '../harness/crash.ts';
import { parseEvents } from '../harness/events.ts';
import { DONE, fakeCalls, fakeClient, MORE } from '../harness/fake-client.ts';
import type { Act } from '../harness/fake-client.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import type { Toml } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

/** A project whose agent `fake` plays these acts. */
function played(acts: readonly Act[], config: Toml = {}, tasks: readonly string[] = ['t1', 't2']): Scratch {
  const one = scratch();
  project(one, { tasks, config: { agent: 'fake', ...config, 'agents.fake': fakeClient(one, 'fake', acts) } });
  return one;
}

/** A program that this processor does not understand. */
function forAnotherMachine(one: Scratch): string {
  const path = beside(one, 'alien');
  const bytes = readFileSync(process.execPath).subarray(0, 4096);
  bytes.writeUInt16LE(0xfefe, 18);
  writeFileSync(path, bytes, { mode: 0o755 });
  return path;
}

interface Status {
  readonly accounts: readonly { readonly account: string; readonly kind: string; readonly left_ms: number | null }[];
  readonly tasks: readonly { readonly id: string; readonly attempts: number; readonly reason: string | null }[];
  readonly run: { readonly cost_usd: number | null };
}
const statusOf = async (one: Scratch): Promise<Status> =>
  JSON.parse((await ralph(one, ['status', '--json'])).stdout) as Status;

describe('usage limits', () => {
  it('case 46: A3 a limit with a reset time holds every loop of the account, and they go on by themselves', async () => {
    // One failure would be the end: a limit is none.
    const one = played([{ does: 'limit', resetInMs: 8000 }, DONE], { limits: { consecutive_failures: 1 } });
    const run = startRalph(one, [...RUN, '--events']);
    await run.waitFor(/account-held/);
    const [held, { stdout: told }] = await Promise.all([statusOf(one), ralph(one, ['status'])]);
    expect(held.accounts).toMatchObject([{ account: 'fake', kind: 'limit' }]);
    expect(told).toMatch(/fake is held \(limit\).*resumes in/);
    expect((await run.ended).code).toBe(0);
    const after = await statusOf(one);
    expect(after.tasks.map((task) => task.attempts)).toEqual([1, 1]);
    expect(after.accounts).toEqual([]);
    const ended = run.events().filter((event) => event.type === 'iteration-ended');
    expect(ended.filter((event) => event['outcome'] === 'limited').length).toBeGreaterThan(0);
    const calls = fakeCalls(one, 'fake');
    const resumed = run.events().find((event) => event.type === 'account-resumed');
    expect(calls.filter((call) => call.atMs > Number(resumed?.['at']) - 500)).toHaveLength(2);
  });

  it('case 43: others take over, from one at its limit, one that is not logged in, one that is gone, and one for another machine', async () => {
    const one = scratch();
    const acts: Readonly<Record<string, Act>> = {
      fake: { does: 'limit', resetInMs: 3_600_000 },
      other: { does: 'auth' },
      second: DONE,
    };
    const agents = Object.entries(acts).map(([name, act]) => [`agents.${name}`, fakeClient(one, name, [act])] as const);
    const config = {
      agent: 'fake',
      fallback: ['other', 'gone', 'alien', 'second'],
      ...Object.fromEntries(agents),
      'agents.gone': { command: ['sh', '-c', 'cat > /dev/null; exec no-such-tool-anywhere -p'] },
      'agents.alien': { command: [forAnotherMachine(one)] },
    };
    project(one, { tasks: ['t1', 't2'], config });
    const { code, stderr } = await ralph(one, RUN);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/not logged in/)]);
    for (const why of [/cannot be started: exit 127/g, /cannot be started: exit 126/g]) {
      expect(stderr.match(why)?.length, stderr).toBeGreaterThan(0);
      expect(stderr.match(why)?.length, 'once for each that was at work').toBeLessThanOrEqual(2);
    }
    for (const name of ['fake', 'other']) expect(fakeCalls(one, name).length).toBeLessThanOrEqual(2);
    expect(fakeCalls(one, 'fake').length * fakeCalls(one, 'other').length).toBeGreaterThan(0);
    expect(fakeCalls(one, 'second')).toHaveLength(2);
    const { tasks } = await statusOf(one);
    expect(tasks.map((task) => task.attempts)).toEqual([1, 1]);
    expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(['t1', 't2']);
  });

  it('a warning halves the slots', async () => {
    const one = scratch();
    const after = ['t2', 't3', 't4'].map((id) => `- [ ] Make ${id} <!-- id: ${id} -->\n  - Depends on: t1\n`);
    project(one, {
      tasks: { 'PRD.md': `## Tasks\n\n- [ ] Make t1 <!-- id: t1 -->\n${after.join('')}` },
      config: { agent: 'fake', 'agents.fake': fakeClient(one, 'fake', [{ does: 'warn', resetInMs: 600_000 }, DONE]) },
    });
    const { stdout, code } = await ralph(one, ['run', '--parallel', '--max-workers', '4', '--events']);
    expect(code).toBe(0);
    let working = 0;
    let most = 0;
    for (const event of parseEvents(stdout)) {
      if (event.type === 'task-claimed') most = Math.max(most, (working += 1));
      if (event.type === 'loop-ready') working -= 1;
    }
    expect(most).toBe(2);
  });

  it('case 46: rate limits are waited out and count for nothing', async () => {
    const one = played([{ does: 'rate' }, DONE], { limits: { consecutive_failures: 1 } }, ['t1']);
    const run = startRalph(one, [...RUN, '--events']);
    await run.waitFor(/"outcome":"throttled"/);
    expect((await statusOf(one)).accounts).toMatchObject([{ kind: 'rate' }]);
    run.signal('SIGINT');
    await run.ended;
    expect((await statusOf(one)).tasks).toMatchObject([{ attempts: 1, state: 'stopped', reason: 'host-stopped' }]);
  });
});

describe('logins', () => {
  it('an agent that is not logged in is not started again; the answer says how to log in, and a new run goes on', async () => {
    const one = played([{ does: 'auth' }], {}, ['t1', 't2', 't3']);
    const first = await ralph(one, [...RUN, '--json']);
    expect(first.code).toBe(6);
    expect(first.stderr).toMatch(/not logged in/);
    expect(fakeCalls(one, 'fake').length).toBeLessThanOrEqual(2);
    fakeClient(one, 'fake', [DONE]);
    const second = await ralph(one, [...RUN, '--json']);
    expect(second.code).toBe(0);
    expect(summaryOf(second.stdout).landed).toHaveLength(3);
    expect((await statusOf(one)).tasks.map((task) => task.attempts)).toEqual([1, 1, 1]);
  });
});

describe('budgets', () => {
  it('A3 S1.8 a loop with 1.00 stops after the third iteration of 0.40, also when the host was killed in between', async () => {
    const one = played([MORE], { limits: { max_cost: 1, iterations: 9 } }, ['t1']);
    await crashAt(one, RUN, 'run.after_spawn#3');
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout).parked).toMatchObject([{ task: 't1', reason: 'budget' }]);
    expect(fakeCalls(one, 'fake')).toHaveLength(3);
    expect((await statusOf(one)).run.cost_usd).toBeCloseTo(1.2);
  });

  it('a run stops all its loops, exits 7, and keeps the sum over a kill', async () => {
    const one = played([MORE], { run: { max_cost: 1 }, limits: { iterations: 50, no_progress: 50 } });
    // One has ended by then, two are at work.
    await crashAt(one, RUN, 'run.after_spawn#3');
    const again = await ralph(one, RUN);
    expect(again.code).toBe(7);
    expect(again.stderr).toMatch(/budget is spent/);
    const calls = fakeCalls(one, 'fake').length;
    expect(calls).toBeGreaterThanOrEqual(3);
    expect(calls).toBeLessThanOrEqual(4);
    // A new run has a budget of its own and takes up what was left.
    const third = await ralph(one, RUN);
    expect(third.code).toBe(7);
    await until('more calls', () => fakeCalls(one, 'fake').length > calls);
  });

  it('tokens bound a loop as well', async () => {
    const one = played([MORE], { limits: { max_tokens: 2000, iterations: 9 } }, ['t1']);
    const { stdout } = await ralph(one, [...RUN, '--json']);
    expect(summaryOf(stdout).parked).toMatchObject([{ reason: 'budget' }]);
    expect(fakeCalls(one, 'fake')).toHaveLength(2);
  });
});

describe('verdicts', () => {
  it('case 41: exit 0 without the event that ends a run is a failure', async () => {
    const one = played([{ does: 'vanish' }], { limits: { consecutive_failures: 1 } }, ['t1']);
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout).parked).toMatchObject([{ reason: 'failures' }]);
  });

  it('case 34: what other agents read and act upon lands only when a person says so', async () => {
    const path = '.mcp.json';
    const one = played([{ ...DONE, path } as Act], {}, ['t1']);
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout).parked).toMatchObject([
      { task: 't1', reason: 'protected', next: expect.stringMatching(/^ralph land t1-/) },
    ]);
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain(path);
    expect((await ralph(one, ['land', 't1'])).code).toBe(0);
    expect(one.git('ls-tree', '--name-only', 'main')).toContain(path);
  });
});

describe('completion signals', () => {
  // What each signal is told by: src/text/agents/completion.test.ts.
  it('loop_complete: only that line as the last one is the end', async () => {
    const says = ['LOOP_COMPLETE? Not yet.', 'Fine.\nLOOP_COMPLETE', 'Fine.\nLOOP_COMPLETE'];
    const one = played(
      says.map((words) => ({ does: 'work', says: words })),
      { completion_signal: 'loop_complete' },
    );
    const { code, stdout } = await ralph(one, ['run', '--parallel', '--max-workers', '1', '--json']);
    expect(code).toBe(0);
    expect(summaryOf(stdout)).toMatchObject({ landed: ['t1', 't2'] });
    expect(fakeCalls(one, 'fake').map((call) => call.task)).toEqual(['t1', 't1', 't2']);
  });
});
