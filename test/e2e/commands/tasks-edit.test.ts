import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const GRAPH = `# the plan
nodes:
  - {id: base, title: Base, status: complete}
  - {id: api, title: Api, status: ready} # first
edges:
  - {from: base, to: api}
meta: {by_status: {ready: 1, complete: 1, blocked: 0}}
`;

const FILES = {
  'PRD.md': '- [x] Base <!-- id: base -->\n- [ ] Api <!-- id: api -->\n',
  'prd.json':
    '[\n  {"id": "base", "title": "Base", "passes": true},\n  {"id": "api", "title": "Api", "passes": false}\n]\n',
  'tasks.yaml': 'tasks:\n  - id: base\n    title: Base\n    completed: yes\n  - id: api # first\n    title: Api\n',
  'task-graph.yaml': GRAPH,
} as const;

const edit = async (one: Scratch, ...words: readonly string[]) => ralph(one, words, { isCheckoutGuarded: false });

describe('tasks add, done, block and unblock', () => {
  it.each(Object.entries(FILES))('edit %s in the checkout, uncommitted, and nothing else', async (name, text) => {
    const one = scratch();
    project(one, { tasks: { [name]: text } });
    const read = (): string => readFileSync(join(one.repo, name), 'utf8');
    const head = one.git('rev-parse', 'HEAD');
    const stateOf = async (id: string): Promise<string | undefined> => {
      const { stdout } = await ralph(one, ['tasks', 'show', id, '--json']);
      return (JSON.parse(stdout) as { readonly state: string }).state;
    };
    expect((await edit(one, 'tasks', 'block', 'api', '--reason', 'no key yet')).code).toBe(0);
    expect(await stateOf('api')).toBe('blocked');
    expect((await edit(one, 'task', 'unblock', 'api')).code).toBe(0);
    expect(await stateOf('api')).toBe('open');
    const added = await edit(
      one,
      'tasks',
      'add',
      'Ship',
      'it',
      '--group',
      'ui',
      '--depends-on',
      'api',
      '--priority',
      '2',
      '--json',
    );
    const { task } = JSON.parse(added.stdout) as { readonly task: string };
    const shown = await ralph(one, ['tasks', 'show', task, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ title: 'Ship it', group: 'ui', depends_on: ['api'], priority: 2 });
    expect((await edit(one, 'tasks', 'done', 'api')).code).toBe(0);
    expect(await stateOf('api')).toBe('done');
    expect((await edit(one, 'tasks', 'done', 'api')).code).toBe(0);
    for (const comment of ['# the plan', '# first']) if (text.includes(comment)) expect(read()).toContain(comment);
    expect([one.git('rev-parse', 'HEAD'), one.git('status', '--porcelain')]).toEqual([head, ` M ${name}`]);
  });

  it('what a person blocks while it is at work stays marked so in the checkout, whatever is published', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    project(one, { tasks: { 'PRD.md': FILES['PRD.md'] }, agent: [{ waitForFile: { path: go } }, ...HONEST] });
    const run = startRalph(one, ['run', '--parallel']);
    await until('the agent', () => starts(one).length === 1);
    expect((await edit(one, 'tasks', 'block', 'api')).code).toBe(0);
    writeFileSync(go, '');
    const { stderr } = await run.ended;
    expect(readFileSync(join(one.repo, 'PRD.md'), 'utf8'), stderr).toBe(FILES['PRD.md'].replace('[ ] Api', '[-] Api'));
    expect(one.git('status', '--porcelain')).toBe(' M PRD.md');
  });

  it('are refused where the edit would not count, or has no place', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': FILES['PRD.md'] } });
    for (const words of [
      ['tasks', 'done', 'nothing'],
      ['tasks', 'add', 'X', '--depends-on', 'nothing'],
    ])
      expect(await edit(one, ...words)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('E_UNKNOWN_ID') as string,
      });
    one.git('switch', '-q', '-c', 'other');
    const refused = await edit(one, 'tasks', 'done', 'api', '--set', 'landing.target=main');
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('fix: git switch main') as string });
    expect(readFileSync(join(one.repo, 'PRD.md'), 'utf8')).toBe(FILES['PRD.md']);
  });
});
