import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { idOf, listOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

/** Long enough for a slow machine, far too short for a bomb. */
const SOON_MS = 60_000;

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]\n`)
  .join('')}tasks: *i\n`;

const YAML_TASK = 'tasks:\n  - id: a\n    title: A\n';

/**
 * What no parser should swallow: what it is, where it stands, and the place that is named. More of YAML is in
 * src/text/trackers/yaml.test.ts.
 */
const REFUSED: readonly (readonly [what: string, file: string, content: string | Buffer, place: RegExp])[] = [
  ['a YAML alias bomb', 'tasks.yaml', bomb, /tasks\.yaml/],
  ['YAML nested 20,000 deep', 'tasks.yaml', `tasks: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, /tasks\.yaml/],
  ['JSON nested 20,000 deep', 'prd.json', `{"stories": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, /prd\.json/],
  ['50 MB', 'tasks.yaml', Buffer.alloc(50_000_000, '# x\n'), /tasks\.yaml.*(large|big|size|MB|bytes)/is],
  ['duplicate keys in JSON', 'prd.json', '{"stories": [\n{"id": "a", "title": "A", "title": "B"}]}', /prd\.json:2/],
  ['an empty YAML file', 'tasks.yaml', '', /tasks\.yaml/],
  ['an empty JSON file', 'prd.json', '', /prd\.json:1/],
  ['a cut-off JSON file', 'prd.json', '{"stories": [\n{"id": "a",', /prd\.json:2/],
  ['a binary markdown file', 'PRD.md', Buffer.from([0, 1, 2, 0xff, 0xfe, 0, 0x80]), /PRD\.md/],
];

const READ = [
  ['a byte order mark in JSON', 'prd.json', '\uFEFF{"stories": [{"id": "a", "title": "A"}]}'],
  ['a byte order mark in markdown', 'PRD.md', '\uFEFF- [ ] A <!-- id: a -->\n'],
  ['CRLF in YAML', 'tasks.yaml', YAML_TASK.replaceAll('\n', '\r\n')],
  ['CRLF in markdown', 'PRD.md', '# Plan\r\n\r\n- [ ] A <!-- id: a -->\r\n'],
] as const;

describe('A10 case 74: files no parser should swallow', () => {
  it('case 74 each is refused at once, with its place', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    for (const [what, file, content, place] of REFUSED) {
      one.put(file, content);
      const { code, stderr } = await ralph(one, ['run', '--dry-run', '--tasks', file], { timeoutMs: SOON_MS });
      expect([what, code, stderr]).toEqual([what, 3, expect.stringMatching(place)]);
      expect(stderr.length, what).toBeLessThan(5000);
      rmSync(join(one.repo, file));
    }
  });

  it('case 74 marks and line ends of other systems are read, or refused with their place, never misread', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    for (const [what, file, content] of READ) {
      one.put(file, content);
      const { code, stdout, stderr } = await ralph(one, ['tasks', 'list', '--json']);
      if (code === 0) expect(listOf(stdout, 'tasks'), what).toMatchObject([{ id: 'a', title: 'A' }]);
      else
        expect([what, code, stderr]).toEqual([
          what,
          3,
          expect.stringMatching(new RegExp(`${file.replace('.', '\\.')}:1`)),
        ]);
      rmSync(join(one.repo, file));
    }
  });
});

describe('A10 values that YAML and objects would bend', () => {
  it('case 76 ids that look like numbers, booleans and dates stay strings', async () => {
    const one = scratch();
    const ids = ['012', '1e3', 'no', '2026-01-01', '0x1F', '~1', '1_000'];
    const text = `tasks:\n${ids.map((id) => `  - id: ${id}\n    title: Task ${id}\n`).join('')}`;
    project(one, { tasks: { 'tasks.yaml': text } });
    const { code, stdout } = await ralph(one, ['tasks', 'list', '--json']);
    expect(code).toBe(0);
    expect(listOf(stdout, 'tasks').map(idOf)).toEqual(ids);
  });

  it('case 79 __proto__ and constructor as keys pollute nothing', async () => {
    const one = scratch();
    const text =
      '{"__proto__": {"stories": 1}, "stories": [{"__proto__": {"passes": true}, "constructor": {"x": 1}, "id": "a", "title": "A"}]}';
    project(one, { tasks: { 'prd.json': text } });
    const { code, stdout, stderr } = await ralph(one, ['tasks', 'ready', '--json']);
    if (code === 0) expect(listOf(stdout, 'tasks').map(idOf)).toEqual(['a']);
    else expect([code, stderr]).toEqual([3, expect.stringContaining('prd.json:1')]);
  });

  it('case 79 __proto__, constructor and toString as ids are tasks like any other', async () => {
    const one = scratch();
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    project(one, {
      tasks: { 'prd.json': JSON.stringify({ stories: ids.map((id) => ({ id, title: `Task ${id}` })) }) },
    });
    const { code } = await ralph(one, ['run', '--parallel']);
    expect(code).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(ids.toSorted());
  });
});

describe('A10 case 81: task files that are not files', () => {
  it('case 81 a symlink out of the repository, a FIFO and a folder are refused, none is waited for', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    for (const [file, ...asked] of [
      ['PRD.md', ['tasks', 'list'], ['run', '--parallel']],
      ['tasks.yaml', ['run', '--parallel', '--tasks', 'tasks.yaml']],
      ['prd.json', ['tasks', 'list']],
    ] as const) {
      symlinkSync('/etc/passwd', join(one.repo, file));
      for (const args of asked) {
        const { code, stdout, stderr } = await ralph(one, args, { timeoutMs: SOON_MS });
        expect([code, stderr]).toEqual([3, expect.stringContaining(file)]);
        expect(stdout + stderr).not.toContain('root:');
      }
      rmSync(join(one.repo, file));
    }
    execFileSync('mkfifo', [join(one.repo, 'PRD.md')]);
    const fifo = await ralph(one, ['tasks', 'list'], { timeoutMs: SOON_MS });
    expect([fifo.code, fifo.stderr]).toEqual([3, expect.stringContaining('PRD.md')]);
    rmSync(join(one.repo, 'PRD.md'));
    one.put('PRD.md/inner', '');
    expect((await ralph(one, ['run', '--dry-run', '--tasks', 'PRD.md'], { timeoutMs: SOON_MS })).code).toBe(3);
  });
});
