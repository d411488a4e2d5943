import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { fakeCalls, fakeClient, MORE } from '../harness/fake-client.ts';
import { parseEvents } from '../harness/events.ts';
import { landedTasks, refsBelow } from '../harness/git.ts';
import { isAlive, processesOf } from '../harness/processes.ts';
import {
  foldersOf,
  promptFor,
  promptProject,
  PROMISE,
  readBook,
  tellAgents,
  writeAgent,
} from '../harness/prompt-project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

const ANY = { isCheckoutGuarded: false };

describe('ralph run PROMPT in trouble', () => {
  it('scenario 26: neither a child left behind nor an agent that does not end holds the run up; one that keeps talking may', async () => {
    const one = scratch();
    promptProject(one, `sleep 600 & echo $! > "$BOOKS/child"\necho made > "$name.txt"\n${PROMISE}`);
    const lingering = await ralph(one, ['run', promptFor('lingering')]);
    expect(lingering.code, lingering.stderr).toBe(0);
    expect(isAlive(Number(readBook(one, 'child')))).toBe(false);
    writeAgent(one, `echo made > "$name.txt"\n${PROMISE}\nexec sleep 600`);
    const waiting = await ralph(one, ['run', promptFor('waiting')]);
    expect(waiting.code, waiting.stderr).toBe(0);
    writeAgent(one, `echo made > "$name.txt"\nfor n in 1 2 3 4 5 6; do echo still at it; sleep 0.2; done\n${PROMISE}`);
    const chatty = await ralph(one, ['run', promptFor('chatty'), '--set', 'limits.grace=100ms']);
    expect(chatty.code, chatty.stderr).toBe(0);
    expect(foldersOf(one, 'chatty')).toHaveLength(1);
    expect(one.git('show', 'main:chatty.txt')).toBe('made');
  });

  it('scenario 30: an agent that fails, says nothing, or meets a limit is never done, and nothing of it is lost', async () => {
    const one = scratch();
    const flags = ['--json', '--set', 'limits.consecutive_failures=1', '--set', 'limits.no_progress=1'];
    const limited = { 'agents.fake': fakeClient(one, 'fake', [{ does: 'rate' }]) };
    promptProject(one, `echo half > "$name.txt"\n${PROMISE}\nexit 1`, limited);
    const main = one.git('rev-parse', 'main');
    const failing = await ralph(one, ['run', ...flags, promptFor('failing')], ANY);
    writeAgent(one, 'exit 0');
    const silent = await ralph(one, ['run', ...flags, promptFor('silent')], ANY);
    for (const { code, stdout, stderr } of [failing, silent]) {
      expect(code, stderr).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        landed: [],
        ready: [],
        done: [],
        parked: [{ branch: expect.any(String) }],
      });
    }
    const { parked } = JSON.parse(failing.stdout) as { parked: { branch: string }[] };
    expect(one.git('show', `${parked[0]?.branch}:failing.txt`)).toBe('half');
    const held = startRalph(one, ['run', '--events', '--agent', 'fake', promptFor('held')]);
    await held.waitFor(/account-held/);
    held.signal('SIGINT');
    expect((await held.ended).code).toBe(130);
    const ends = ['loop-ready', 'loop-landed', 'loop-parked'];
    expect(held.events().filter(({ type }) => ends.includes(type))).toEqual([]);
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toHaveLength(3);
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect(readFileSync(`${one.repo}/failing.txt`, 'utf8')).toBe('half\n');
  });

  it('scenario 35: Ctrl-C: 130, every descendant gone, and the command it prints goes on', async () => {
    const one = scratch();
    promptProject(
      one,
      `echo $RALPH_ITERATION >> "$name.txt"
test ! -e "$BOOKS/go" || { ${PROMISE}; exit; }
setsid sleep 600 & echo $! > "$BOOKS/far"
sleep 600 & echo $! > "$BOOKS/near"
wait`,
    );
    const run = startRalph(one, ['run', '--json', promptFor('stopped')]);
    await until('its children', () => readBook(one, 'near') !== '');
    run.signal('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    for (const child of ['far', 'near']) expect(isAlive(Number(readBook(one, child)))).toBe(false);
    await until('everything gone', () => processesOf(one.root).length === 0);
    expect(existsSync(`${one.repo}/.ralph/loop.lock`)).toBe(false);
    const [, command = ''] = /resume: ralph (.*)/.exec(stderr) ?? [];
    expect(command).toMatch(/^run --continue --loop-id make-stopped-now-\w+$/);
    expect(JSON.parse(stdout)).toMatchObject({ exit: 130, stopped: [{ task: command.split(' ').at(-1) }] });
    const next = `ralph loops resume ${command.split(' ').at(-1)}`;
    const [row] = listOf((await ralph(one, ['loops', 'list', '--json'])).stdout, 'loops');
    expect(row).toMatchObject({ state: 'stopped', reason: 'host-stopped', pid: null, next });
    const [open] = listOf((await ralph(one, ['status', '--json'])).stdout, 'tasks');
    expect(open).toMatchObject({ state: 'stopped', next });
    const { stdout: told } = await ralph(one, ['loops', 'history', String(row?.['id'])]);
    expect(told.trimEnd().split('\n').at(-1)).toContain('is stopped: its host stopped in order');
    expect((await ralph(one, ['doctor', '--json'])).stdout).toMatch(
      /1 stopped \(host-stopped\): .*\s+"remedy": "ralph loops"/,
    );
    tellAgents(one, 'go');
    const resumed = await ralph(one, command.split(' '), ANY);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(one.git('show', 'main:stopped.txt')).toMatch(/^1\n/);
    expect(foldersOf(one, 'stopped')).toEqual([one.repo, one.repo]);
    expect(landedTasks(one.git, INT)).toHaveLength(1);
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('scenario 41: a loop stops when its money is spent, and three loops share what the project may spend', async () => {
    const one = scratch();
    promptProject(one, PROMISE, {
      agent: 'fake',
      run: { max_cost: 1 },
      // After the three turns of the first: three loops that begin together.
      'agents.fake': fakeClient(one, 'fake', [MORE, MORE, MORE, { does: 'meet', calls: 6, costUsd: 0.4 }]),
    });
    const single = await ralph(one, ['run', '--events', '--max-cost', '1', promptFor('single')], ANY);
    expect(single.code, single.stderr).toBe(7);
    expect(fakeCalls(one, 'fake')).toHaveLength(3);
    expect(parseEvents(single.stdout).filter(({ type }) => type === 'loop-parked')).toMatchObject([
      { reason: 'budget' },
    ]);
    const shared = ['a', 'b', 'c'].map((name) => startRalph(one, ['run', '--worktree', promptFor(name)]));
    const ended = await Promise.all(shared.map((run) => run.ended));
    for (const { code, stderr } of ended)
      expect([code, stderr]).toEqual([7, expect.stringContaining('budget is spent')]);
    // Whoever was at work when it was spent ends what it began; alone each could have had three turns.
    expect(fakeCalls(one, 'fake').length).toBeLessThanOrEqual(3 + 3 + 2);
  });

  it('scenario 42: no run inside the worktree of a loop', async () => {
    const one = scratch();
    promptProject(one, `echo made > "$name.txt"\nhold go\n${PROMISE}`);
    const run = startRalph(one, ['run', '--worktree', promptFor('outer')]);
    await until('the agent', () => foldersOf(one, 'outer').length === 1);
    const [cwd = ''] = foldersOf(one, 'outer');
    for (const words of [[promptFor('inner')], ['--parallel']]) {
      const inner = await ralph(one, ['run', ...words], { ...ANY, cwd });
      expect([inner.code, inner.stderr]).toEqual([2, expect.stringContaining('is the worktree of a loop')]);
    }
    tellAgents(one, 'go');
    expect((await run.ended).code).toBe(0);
    expect(foldersOf(one, 'inner')).toEqual([]);
    expect(one.git('show', 'main:outer.txt')).toBe('made');
  });

  it('scenario 37: thrown away at work in place, its last commits are kept, its branch goes, and it can be had back', async () => {
    const one = scratch();
    promptProject(one, `echo half > "$name.txt"\ntouch "$BOOKS/half"\nhold never`);
    const run = startRalph(one, ['run', promptFor('thrown')]);
    await until('its work', () => existsSync(`${one.root}/books/half`));
    const refused = await ralph(one, ['loops', 'discard', 'make-thrown', '-y'], ANY);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
    const thrown = await ralph(one, ['loops', 'discard', 'make-thrown', '--force', '-y'], ANY);
    expect([thrown.code, thrown.stderr]).toEqual([0, expect.stringMatching(/its branch \S+ is gone/)]);
    expect((await run.ended).code).toBe(0);
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual([]);
    expect(readFileSync(`${one.repo}/thrown.txt`, 'utf8')).toBe('half\n');
    const undone = await ralph(one, ['undo'], ANY);
    expect(undone.code, undone.stderr).toBe(0);
    const [branch = ''] = refsBelow(one.git, 'refs/heads/ralph/');
    expect(one.git('show', `${branch}:thrown.txt`)).toBe('half');
  });
});
