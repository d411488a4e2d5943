import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { killAgents, killHost } from '../harness/crash.ts';
import { fingerprint } from '../harness/fingerprint.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const GRAPH = `nodes:
  - {id: T-1, title: One, story: S-1, status: ready}
  - {id: T-2, title: Two, story: S-1, status: pending}
  - {id: T-3, title: Three, story: S-2, status: ready}
edges: [{from: T-1, to: T-2}]
`;

const branches = (one: Scratch): readonly string[] =>
  one.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
const folder = (one: Scratch, name: string): string => join(dirname(one.repo), 'worktrees', name);

/** A project in which nobody wrote how loops run. */
function plain(one: Scratch, spec: Parameters<typeof project>[1]): void {
  project(one, spec);
  const text = readFileSync(join(one.repo, 'ralph.toml'), 'utf8').replace('merge_policy = "auto_merge"\n', '');
  one.put('ralph.toml', text);
  one.git('commit', '-qam', 'Leave it to the defaults');
}

describe('ralph orchestrate', () => {
  it('works on what is ready, on agent/TASK in ../worktrees/TASK, and lands it by itself', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    plain(one, { tasks: { 'task-graph.yaml': GRAPH }, agent: [{ waitForFile: { path: go } }, ...HONEST] });
    const run = startRalph(one, ['orchestrate']);
    await until('two agents', () => starts(one).length === 2);
    expect(
      starts(one)
        .map(({ cwd }) => cwd)
        .toSorted(),
    ).toEqual([folder(one, 'T-1'), folder(one, 'T-3')]);
    expect(branches(one)).toEqual(['agent/T-1', 'agent/T-3', 'main']);
    writeFileSync(go, '');
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(one.git('show', 'main:task-graph.yaml').match(/complete/g)).toHaveLength(3);
    expect(branches(one), 'what landed needs no branch').toEqual(['main']);
    expect(existsSync(folder(one, 'T-1')), 'and no folder').toBe(false);
    expect(
      one
        .git('worktree', 'list')
        .split('\n')
        .filter((line) => !line.includes('/.ralph/')),
    ).toHaveLength(1);
  });

  it('A3.8, scenario 16: numbers a second attempt, and moves no branch and no folder that is there', async () => {
    const one = scratch();
    plain(one, { tasks: ['login', 'search'], agent: [{ exit: 1 }] });
    one.git('branch', 'agent/search');
    mkdirSync(folder(one, 'search'), { recursive: true });
    writeFileSync(join(folder(one, 'search'), 'mine.txt'), 'a person wrote this\n');
    const tip = one.git('rev-parse', 'agent/search');
    expect((await ralph(one, ['orchestrate'])).code).toBe(1);
    expect(branches(one)).toEqual(['agent/login', 'agent/search', 'agent/search-2', 'main']);
    writeScenario(one, {});
    expect((await ralph(one, ['tasks', 'reset', 'login'])).code).toBe(0);
    const second = await ralph(one, ['orchestrate', '--task', 'login']);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr, 'what was not chosen is no part of it').not.toContain('search');
    expect(starts(one).map(({ cwd }) => basename(cwd))).toContain('login-2');
    expect(one.git('rev-parse', 'agent/search')).toBe(tip);
    expect(readFileSync(join(folder(one, 'search'), 'mine.txt'), 'utf8')).toBe('a person wrote this\n');
  });

  it('an epic or a story, and as many at once as it is told', async () => {
    const one = scratch();
    plain(one, { tasks: { 'task-graph.yaml': GRAPH } });
    const print = fingerprint(one.repo);
    const dry = await ralph(one, ['orchestrate', '--dry-run', '--story', 'S-2', '--max-agents', '2', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ slots: 2, merge_policy: 'auto_merge', start: [{ task: 'T-3' }] });
    expect(
      (JSON.parse((await ralph(one, ['orchestrate', '--dry-run', '--json'])).stdout) as { slots: number }).slots,
    ).toBe(4);
    expect(fingerprint(one.repo)).toEqual(print);
    const none = await ralph(one, ['orchestrate', '--epic', 'S-1']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no task has any epic')]);
    expect((await ralph(one, ['orchestrate', '--story', 'S-2'])).code).toBe(0);
    expect(starts(one).map(({ task }) => task)).toEqual(['T-3']);
  });

  it('the templates of a project count for run as well', async () => {
    const one = scratch();
    const parallel = { branch: 'feature/<task>', worktree_path: '../<repo>-<task>', merge_policy: 'auto_merge' };
    project(one, { tasks: ['login', 'search'], config: { parallel } });
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code, stderr).toBe(0);
    const at = (name: string): string => join(dirname(one.repo), `${basename(one.repo)}-${name}`);
    expect(
      starts(one)
        .map(({ cwd }) => cwd)
        .toSorted(),
    ).toEqual([at('login'), at('search')]);
    expect(existsSync(at('login'))).toBe(false);
  });

  it('its status names what is at work, where, and what can start', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    plain(one, { tasks: { 'task-graph.yaml': GRAPH }, agent: [{ waitForFile: { path: go } }, ...HONEST] });
    const run = startRalph(one, ['orchestrate', '--max-agents', '1']);
    await until('an agent', () => starts(one).length === 1);
    const { stdout } = await ralph(one, ['orchestrate', 'status']);
    expect(stdout).toMatch(/1 +T-1 .* agent\/T-1 +\.\.\/worktrees\/T-1/);
    expect(stdout).toContain('can start: T-3\n');
    const json = JSON.parse((await ralph(one, ['status', '--json'])).stdout) as { readonly startable: unknown };
    expect(json.startable).toEqual(['T-3']);
    writeFileSync(go, '');
    expect((await run.ended).code).toBe(0);
  });

  it('--watch waits for more', async () => {
    const one = scratch();
    plain(one, { tasks: ['login'] });
    const run = startRalph(one, ['orchestrate', '--watch']);
    await run.waitFor(/waiting for tasks that are ready/);
    await ralph(one, ['tasks', 'add', 'Search', '--json'], { isCheckoutGuarded: false });
    await until('the new task', () => starts(one).length === 2);
    await until('its end', () => run.output().stderr.match(/waiting for tasks that are ready/g)?.length === 2);
    run.signal('SIGINT');
    await run.ended;
  });
});

describe('ralph worker', () => {
  it('D3.4, scenario 22: is told what .claude/agents/worker.md says, byte by byte, and no shell sees it', async () => {
    const one = scratch();
    const canary = beside(one, 'canary');
    const text = `---\nname: worker\n---\nDo $TASK_ID, not $TASK_IDS.\r\n\`touch ${canary}\` $(touch ${canary}) "quotes' {{braces}}\n${'x'.repeat(200_000)}\n`;
    const seen = beside(one, 'prompt');
    project(one, {
      tasks: ['login', 'search'],
      files: { '.claude/agents/worker.md': text },
      agent: [{ prompt: { path: seen } }, ...HONEST],
    });
    const { code, stderr } = await ralph(one, ['worker', 'login']);
    expect(code, stderr).toBe(0);
    const prompt = readFileSync(seen, 'utf8');
    const own = text.replace('$TASK_ID,', 'login,');
    expect(prompt.slice(0, own.length) === own).toBe(true);
    expect(prompt, 'and what it cannot know').toContain('<promise>COMPLETE</promise>');
    expect(existsSync(canary)).toBe(false);
    expect(starts(one).map(({ task }) => task)).toEqual(['login']);
  });

  it('works test first where the project says nothing, or as .ralph/prompts/orchestrate.md says', async () => {
    const one = scratch();
    const seen = beside(one, 'prompt');
    project(one, { tasks: ['login', 'search'], agent: [{ prompt: { path: seen } }, ...HONEST] });
    expect((await ralph(one, ['worker', 'login'])).code).toBe(0);
    expect(readFileSync(seen, 'utf8')).toContain('smallest test that fails');
    one.put(
      '.ralph/prompts/orchestrate.md',
      'Only {{task_id}}: {{task_title}}{{task_body}}{{rework}}. {{promise_rule}}\n',
    );
    expect((await ralph(one, ['worker', 'search'])).code).toBe(0);
    expect(readFileSync(seen, 'utf8')).toMatch(/^Only search: Make search/);
  });

  it('a killed pid is a failed iteration while the host lives; without one the worker goes on with that loop', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    plain(one, { tasks: ['login'], agent: [{ waitForFile: { path: go } }, ...HONEST] });
    const host = startRalph(one, ['orchestrate']);
    await until('an agent', () => starts(one).length === 1);
    await killAgents(one);
    await until('another', () => starts(one).length === 2);
    const busy = await ralph(one, ['worker', 'login']);
    expect([busy.code, busy.stderr]).toEqual([5, expect.stringContaining('works on login')]);
    await killHost(host);
    await killAgents(one);
    writeFileSync(go, '');
    const { code, stderr } = await ralph(one, ['worker', 'login']);
    expect(code, stderr).toBe(0);
    expect(new Set(starts(one).map(({ cwd }) => cwd))).toEqual(new Set([folder(one, 'login')]));
    expect(one.git('log', '--format=%s', 'main')).toContain('login');
  });
});
