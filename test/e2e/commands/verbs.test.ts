import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf, summaryOf } from '../harness/answers.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { loopOf, shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--events'];
const AGENT_VERBS: readonly (readonly string[])[] = [
  ['progress', 'half way'],
  ['block', 'no key'],
  ['done', 'all of it'],
  ['task', 'add', 'Another thing'],
];

/** An agent that leaves its environment for the test and waits until it is let go. */
async function waitingAgent(one: Scratch): Promise<{ readonly run: Running; readonly env: Record<string, string> }> {
  const [dump, go] = [beside(one, 'env'), beside(one, 'go')];
  shellProject(
    one,
    `env > ${dump}.part; mv ${dump}.part ${dump}
     while [ ! -e ${go} ]; do sleep 0.1; done
     echo made > made.txt; echo '<promise>COMPLETE</promise>'`,
    { tasks: ['alpha'] },
  );
  const run = startRalph(one, RUN);
  await until('the agent', () => existsSync(dump));
  const lines = readFileSync(dump, 'utf8').split('\n');
  const own = lines.filter((line) => /^RALPH_(LOOP_ID|TASK_ID|ITERATION|TOKEN|WORKTREE)=/.test(line));
  const env = Object.fromEntries(
    own.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return { run, env };
}

const letGo = async (one: Scratch, run: Running): Promise<number | null> => {
  writeFileSync(beside(one, 'go'), '');
  return (await run.ended).code;
};

describe('the verbs of an agent', () => {
  it('are on its PATH: progress, memories, a task proposed, its own task, and done lands without the promise', async () => {
    const one = scratch();
    shellProject(
      one,
      `ralph progress 'half way, \`tests\` next'
       ralph memory add "run the tests with TZ=UTC" --tag tests
       ralph task add "Retry on timeouts" --body "seen twice"
       ralph task show > ${beside(one, 'shown')}
       cd / && ralph progress "from another folder" && cd "$RALPH_WORKTREE"
       echo made > made.txt
       ralph done "made it"`,
      { tasks: { 'PRD.md': '- [ ] Make alpha <!-- id: alpha -->\n  - is round\n' } },
    );
    const run = await startRalph(one, RUN).ended;
    expect(run.stderr).not.toContain('error[');
    expect(run.code).toBe(0);
    const events = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const said = (type: string): unknown[] => events.filter((event) => event['type'] === type);
    const loop = await loopOf(one, 'alpha');
    expect(said('loop-progressed')).toMatchObject([
      { loop, n: 1, text: 'half way, `tests` next' },
      { loop, text: 'from another folder' },
    ]);
    expect(said('task-proposed')).toMatchObject([{ loop, title: 'Retry on timeouts', body: 'seen twice' }]);
    expect(said('loop-done')).toMatchObject([{ loop, n: 1, summary: 'made it' }]);
    const shown = readFileSync(beside(one, 'shown'), 'utf8');
    for (const words of ['alpha: Make alpha', 'is round', 'half way']) expect(shown).toContain(words);
    const memories = listOf((await ralph(one, ['memory', 'list', '--json'])).stdout, 'memories');
    expect(memories).toMatchObject([{ text: 'run the tests with TZ=UTC', tags: ['tests'], by: loop }]);
    expect(one.git('show', 'main:made.txt')).toBe('made');
  });

  it('block parks the task with what was said', async () => {
    const one = scratch();
    shellProject(one, `echo half > half.txt; ralph block "needs a key\nfor the bank"`, { tasks: ['alpha'] });
    const { code, stdout } = await ralph(one, ['run', '--parallel', '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({ landed: [], parked: [{ task: 'alpha', reason: 'blocked' }] });
    expect(stdout).toContain('needs a key');
  });

  it('are for the agent at work alone, short and clean, from any folder; nobody else has a say', async () => {
    const one = scratch();
    const { run, env } = await waitingAgent(one);
    await refusedToAPerson(one, env);
    await refusedToStrangers(one, env);
    await keptShort(one, env);
    await foundFromAnywhere(one, env);
    expect((await ralph(one, ['progress', 'still here', '--json'], { env })).code).toBe(0);
    expect(await letGo(one, run)).toBe(0);
    // The same words twice are told once.
    const said = run.events().filter(({ type }) => /^(?:loop-(?:progressed|blocked|done)|task-proposed)$/.test(type));
    expect(said.map(({ type, text }) => [type, String(text).slice(0, 20)])).toEqual(
      ['x'.repeat(20), 'red and more', 'from outside', 'from a stranger', 'still here'].map((text) => [
        'loop-progressed',
        text,
      ]),
    );
    for (const verb of [...AGENT_VERBS, ['memory', 'add', 'x']]) {
      const late = await ralph(one, verb, { env });
      expect([verb, late.code]).toEqual([verb, 2]);
      expect(late.stderr).toContain('error[E_LOOP_ENDED]');
      expect(late.stderr).toMatch(/landed/);
    }
  });
});

type Env = Readonly<Record<string, string>>;

/** In the worktree of a loop too. */
async function refusedToAPerson(one: Scratch, env: Env): Promise<void> {
  const worktree = env['RALPH_WORKTREE'] ?? '';
  for (const [verb, cwd] of [
    ...AGENT_VERBS.map((words) => [words, worktree] as const),
    [['done', 'x'], one.repo] as const,
  ]) {
    const { code, stdout, stderr } = await ralph(one, verb, { cwd });
    expect([verb, code, stdout]).toEqual([verb, 2, '']);
    expect(stderr).toContain('error[E_NO_LOOP]');
    expect(stderr).toMatch(/^fix: /m);
  }
  const json = await ralph(one, ['progress', 'x', '--json']);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'E_NO_LOOP', exit: 2 } });
}

/** With another token, iteration or loop. */
async function refusedToStrangers(one: Scratch, env: Env): Promise<void> {
  const wrong: readonly Record<string, string | undefined>[] = [
    { RALPH_TOKEN: 'ffffffffffffffffffffffff' },
    { RALPH_TOKEN: undefined },
    { RALPH_ITERATION: '2' },
    { RALPH_ITERATION: '../1' },
    { RALPH_LOOP_ID: 'nobody' },
    { RALPH_LOOP_ID: '__proto__' },
  ];
  for (const change of wrong) {
    const { code, stderr } = await ralph(one, ['progress', 'x'], { env: { ...env, ...change } });
    expect([change, code]).toEqual([change, 2]);
    expect(stderr).toContain('error[E_NO_LOOP]');
    expect(stderr).not.toContain(env['RALPH_TOKEN'] ?? 'no token');
  }
}

async function keptShort(one: Scratch, env: Env): Promise<void> {
  const long = await ralph(one, ['progress', 'x'.repeat(600), '--json'], { env });
  expect((JSON.parse(long.stdout) as { progress: string }).progress).toHaveLength(500);
  expect((await ralph(one, ['progress', 'x'.repeat(600)], { env })).stderr).toContain('500 of 600');
  const dirty = await ralph(one, ['progress', '\u001b[31mred\u001b[0m\nand\u202e more', '--json'], { env });
  expect(JSON.parse(dirty.stdout)).toMatchObject({ progress: 'red and more' });
  for (const words of [['   '], ['\u001b[31m']]) {
    const { code, stderr } = await ralph(one, ['progress', ...words], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('error[E_USAGE]');
  }
  expect((await ralph(one, ['progress'], { env })).code).toBe(2);
}

/** Also from inside another repository. */
async function foundFromAnywhere(one: Scratch, env: Env): Promise<void> {
  const elsewhere = beside(one, 'elsewhere');
  mkdirSync(elsewhere);
  expect((await ralph(one, ['progress', 'from outside'], { env, cwd: elsewhere })).code).toBe(0);
  one.git('init', '-q', elsewhere);
  expect((await ralph(one, ['progress', 'from a stranger'], { env, cwd: elsewhere })).code).toBe(0);
  const shown = await ralph(one, ['task', 'show', '--json'], { env, cwd: elsewhere });
  expect(JSON.parse(shown.stdout)).toMatchObject({ task: 'alpha', loop: { progress: 'from a stranger' } });
  expect(existsSync(`${elsewhere}/.git/paralph`)).toBe(false);
}

describe('memories and tasks for people', () => {
  it('add, list and search', async () => {
    const one = scratch();
    shellProject(one, 'true', { tasks: ['alpha'] });
    expect((await ralph(one, ['memory', 'list'])).stdout).toBe('');
    expect(
      (await ralph(one, ['memory', 'add', 'Gates', 'need', 'node 20', '--tag', 'node', '--tag', 'gates'])).code,
    ).toBe(0);
    expect((await ralph(one, ['memory', 'add', 'The database is sqlite'])).code).toBe(0);
    const list = await ralph(one, ['memory', 'list']);
    expect(list.stdout).toContain('- Gates need node 20 [node, gates] (user)');
    const found = listOf((await ralph(one, ['memory', 'search', 'sqlite', 'database', '--json'])).stdout, 'memories');
    expect(found.map(({ text }) => text)).toEqual(['The database is sqlite']);
    const none = await ralph(one, ['memory', 'search', 'nowhere']);
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect((await ralph(one, ['memory', 'add', ' '])).code).toBe(2);
    const tags = Array.from({ length: 50 }, (_, at) => ['--tag', `${at}${'t'.repeat(1000)}`]).flat();
    const many = await ralph(one, ['memory', 'add', 'x', ...tags, '--json']);
    const kept = listOf((await ralph(one, ['memory', 'search', 'x', '--json'])).stdout, 'memories');
    expect(JSON.parse(many.stdout)).toMatchObject({ tags: kept[0]?.['tags'] });
  });

  it('task show needs an id outside a loop, and knows unique beginnings', async () => {
    const one = scratch();
    shellProject(one, 'true', { tasks: ['alpha', 'beta'] });
    const { code, stderr } = await ralph(one, ['task', 'show']);
    expect(code).toBe(2);
    expect(stderr).toContain('error[E_NO_LOOP]');
    expect((await ralph(one, ['task', 'show', 'al'])).stdout).toContain('alpha: Make alpha');
    expect((await ralph(one, ['task', 'show', 'gamma'])).code).toBe(2);
  });
});
