import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, promptOf, shellAgent } from '../harness/train.ts';
import { why } from '../harness/why.ts';

const PRD = '# Plan\n\n- [ ] Login\n- [ ] Logout\n';
const JSON_TASKS =
  '{\n  "stories": [\n    { "id": "a", "title": "A", "passes": false },\n    { "id": "b", "title": "B" }\n  ]\n}\n';
const YAML_TASKS = 'tasks:\n  - id: a\n    title: A\n    completed: false\n  - id: b\n    title: B\n    status: todo\n';
const COMMIT = 'git add -A; git commit -q -m "Tick" --allow-empty';

function given(one: Scratch, tasks: Readonly<Record<string, string>>, script: string): void {
  const config = { limits: { iterations: 4, no_progress: 2, runtime: '3m', grace: '1s' }, agent: 'shell' };
  project(one, { tasks, config: { ...config, 'agents.shell': shellAgent(one, 'shell', script) } });
}

describe('mend 5: a tick is no work', () => {
  it.each([
    ['PRD.md', PRD, 'sed -i "s/\\[ \\]/[x]/" PRD.md'],
    ['PRD.md', PRD, `sed -i "s/\\[ \\]/[x]/" PRD.md; ${COMMIT}`],
    ['PRD.md', PRD, 'echo "- [x] all done" > PRD.md'],
    [
      'prd.json',
      JSON_TASKS,
      `node -e 'const f="prd.json",fs=require("fs"),j=JSON.parse(fs.readFileSync(f));j.stories.forEach(s=>{s.passes=true});fs.writeFileSync(f,JSON.stringify(j))'; ${COMMIT}`,
    ],
    ['tasks.yaml', YAML_TASKS, 'sed -i "s/false/true/; s/todo/done/" tasks.yaml'],
  ])('mend 5: %s: an agent that does nothing else is not landed, and is told', async (path, text, script) => {
    const one = scratch();
    given(one, { [path]: text }, `${script}; ${CLAIM}`);
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code, stderr).toBe(1);
    expect(landedTasks(one.git, 'main')).toEqual([]);
    expect(`${one.git('show', `main:${path}`)}\n`).toBe(text);
    expect(stderr).toContain(`in ${path} was dropped`);
    const id = path === 'PRD.md' ? 'login' : 'a';
    const told = await why(one, id);
    expect(told.reason).toBe('no-progress');
    expect(told.sentences.join('\n')).toContain(`in ${path} was dropped`);
    expect(promptOf(one, 'shell', id, 2)).toContain(`in ${path} was dropped`);
    expect((await ralph(one, ['loops', 'history', id])).stdout).toContain(`in ${path} was dropped`);
  });

  it('mend 5: with work beside it: the work lands with its own tick, no other; words beside the boxes land too', async () => {
    const one = scratch();
    const words = 'test $RALPH_TASK_ID != login || printf "\\nHow login works.\\n" >> PRD.md';
    const plan = `${PRD}  - Depends on: Login\n`;
    given(one, { 'PRD.md': plan }, `${OWN_FILE}; sed -i "s/\\[ \\]/[x]/" PRD.md; ${words}; ${COMMIT}; ${CLAIM}`);
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['login', 'logout']);
    const after = `${plan.replace('[ ] Login', '[x] Login')}\nHow login works.`;
    expect(one.git('show', 'main~1:PRD.md')).toBe(after);
    expect(one.git('show', 'main:PRD.md')).toBe(after.replace('[ ]', '[x]'));
    expect(stderr).toContain('in PRD.md was dropped');
  });

  it('mend 5: an agent that ticks on and on makes no progress after work that fails its gates', async () => {
    const one = scratch();
    const script = `${OWN_FILE}; : > BROKEN; sed -i "s/\\[ \\]/[x]/" PRD.md; ${CLAIM}`;
    given(one, { 'PRD.md': '# Plan\n\n- [ ] Login\n' }, script);
    expect((await ralph(one, ['run'])).code).toBe(1);
    expect((await why(one, 'login')).reason).toBe('no-progress');
    expect(() => promptOf(one, 'shell', 'login', 4)).toThrow('ENOENT');
  });
});
