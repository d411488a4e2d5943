import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../harness/fingerprint.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('ralph prompt', () => {
  it('prints what the next iteration is told, letter by letter, and claims nothing', async () => {
    const one = scratch();
    const seen = beside(one, 'prompt');
    project(one, {
      tasks: {
        'PRD.md': '- [ ] Login <!-- id: login -->\n  - it works\n- [ ] Search <!-- id: search depends_on: login -->\n',
      },
      agent: [{ prompt: { path: seen } }, { print: 'not yet' }],
      config: { limits: { iterations: 1 } },
    });
    const print = fingerprint(one.repo);
    const first = await ralph(one, ['prompt']);
    expect(first.stdout).toContain('# Task login: Login');
    expect(fingerprint(one.repo)).toEqual(print);
    expect((await ralph(one, ['prompt', 'sear'])).stdout).toContain('# Task search: Search');
    await ralph(one, ['run']);
    expect(readFileSync(seen, 'utf8')).toBe(first.stdout);
    const again = JSON.parse((await ralph(one, ['prompt', 'login', '--json'])).stdout) as Record<string, unknown>;
    expect(again).toMatchObject({ task: 'login', iteration: 2, loop: expect.stringMatching(/^login-/) as unknown });
    expect((await ralph(one, ['prompt', 'nobody'])).code).toBe(2);
    const none = await ralph(one, ['prompt']);
    expect([none.code, none.stdout]).toEqual([1, '']);
  });

  it('says in a linked worktree whose tasks these are', async () => {
    const one = scratch();
    project(one, { tasks: ['login'] });
    one.git('worktree', 'add', '-q', '-b', 'alpha', beside(one, 'alpha'));
    const { stderr, stdout } = await ralph(one, ['prompt'], { cwd: beside(one, 'alpha') });
    expect(stderr).toContain('is a linked worktree');
    expect(stdout).toContain('# Task login');
  });
});

const AGENTS = {
  'PRD.md': '- [ ] Login <!-- id: login agent: other model: big-1 -->\n- [ ] Search <!-- id: search -->\n',
  'prd.json':
    '[{"id": "login", "title": "Login", "agent": "other", "model": "big-1"}, {"id": "search", "title": "Search"}]\n',
  'tasks.yaml':
    'tasks:\n  - id: login\n    title: Login\n    labels: [agent:other, model:big-1]\n  - id: search\n    title: Search\n',
  'task-graph.yaml':
    'nodes:\n  - {id: login, title: Login, status: ready, agent: other, model: big-1}\n  - {id: search, title: Search, status: ready}\n',
};

describe('an agent and a model for one task', () => {
  it.each(Object.entries(AGENTS))('are told in %s, shown by the dry run, and taken', async (name, text) => {
    const one = scratch();
    const other = { driver: 'text', command: ['sh', beside(one, 'scripted.sh')] };
    project(one, { tasks: { [name]: text }, config: { 'agents.other': other } });
    const dry = await ralph(one, ['run', '--parallel', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      agent: 'scripted',
      start: [{ task: 'login', agent: 'other', model: 'big-1' }, { task: 'search' }],
    });
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code, stderr).toBe(0);
    const cost = JSON.parse((await ralph(one, ['cost', '--json'])).stdout) as {
      readonly agents: readonly { agent: string }[];
    };
    expect(cost.agents.map(({ agent }) => agent).toSorted()).toEqual(['other', 'scripted']);
  });

  it('that cannot work is told at once, each, and nothing is started', async () => {
    const one = scratch();
    const text =
      '- [ ] A <!-- id: a agent: nobody -->\n- [ ] B <!-- id: b agent: claude -->\n- [x] C <!-- id: c agent: gone -->\n';
    project(one, { tasks: { 'PRD.md': text }, agent: HONEST });
    writeScenario(one, {});
    const { code, stderr } = await ralph(one, ['run']);
    expect([code, starts(one)]).toEqual([3, []]);
    expect(stderr).toContain('line 1: task a asks for agent nobody');
    expect(stderr).toContain('line 2: task b asks for agent claude');
    expect(stderr).not.toContain('gone');
  });
});
