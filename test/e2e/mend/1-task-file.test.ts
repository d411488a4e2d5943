import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { bundle } from '../harness/bundle.ts';
import { crashAt } from '../harness/crash.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const START = '# Plan\n\n- [-] Profile\n- [ ] Login\n- [ ] Logout\n';
const disk = (one: Scratch, path = 'PRD.md'): string => readFileSync(join(one.repo, path), 'utf8');
const committed = (one: Scratch, path = 'PRD.md'): string => `${one.git('show', `main:${path}`)}\n`;

/** Follows what is printed as a person who pastes does, until a command has nothing more to say. */
async function follow(one: Scratch, first: readonly string[]): Promise<string> {
  let told = await ralph(one, first);
  for (let at = 0; told.code !== 0 && at < 4; at += 1) {
    const next = [...told.stderr.matchAll(/next: (.+)$/gm)].at(-1)?.[1] ?? '';
    expect(next, told.stderr).not.toBe('');
    told = asTyped(one, next);
  }
  expect(told.code, told.stderr).toBe(0);
  return told.stderr;
}

function asTyped(one: Scratch, line: string): Awaited<ReturnType<typeof ralph>> {
  const bin = beside(one, 'ralph');
  writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${bundle().main}' "$@"\n`);
  chmodSync(bin, 0o755);
  const env = { ...one.env, PATH: `${join(bin, '..')}:${one.env['PATH'] ?? ''}`, GIT_EDITOR: 'true' };
  const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: one.repo, env, encoding: 'utf8' });
  return { code: status, signal, stdout, stderr };
}

describe('mend 1: an edit of the task file that is not committed', () => {
  it('mend 1: a task added to the file: all of it lands and is published, the line stays, the boxes are ticked', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': '# Plan\n\n- [ ] Login\n' } });
    one.put('PRD.md', `${disk(one)}- [ ] Add search\n`);
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('main holds everything that landed');
    expect(landedTasks(one.git, 'main').sort()).toEqual(['add-search', 'login']);
    expect(committed(one)).toBe('# Plan\n\n- [x] Login\n');
    expect(disk(one)).toBe('# Plan\n\n- [x] Login\n- [x] Add search\n');
    expect(one.git('status', '--porcelain')).toBe(' M PRD.md');
    one.git('commit', '-q', '-a', '-m', 'Plan the search');
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(one.git('log', '-1', '--format=%s')).toBe('Plan the search');
  });

  it('mend 1: a task that only the edit has, beside none that is open: its box is ticked, staged or not', async () => {
    for (const isStaged of [false, true]) {
      const one = scratch();
      project(one, { tasks: { 'PRD.md': '# Plan\n\n- [x] Login\n' } });
      one.put('PRD.md', `${disk(one)}- [ ] Add search\n`);
      if (isStaged) one.git('add', 'PRD.md');
      expect((await ralph(one, ['run'])).code).toBe(0);
      expect(landedTasks(one.git, 'main')).toEqual(['add-search']);
      expect(disk(one)).toBe('# Plan\n\n- [x] Login\n- [x] Add search\n');
      expect(one.git('status', '--porcelain')).toBe(`${isStaged ? 'M ' : ' M'} PRD.md`);
      one.git('commit', '-q', '-a', '-m', 'Plan the search');
      expect((await ralph(one, ['run'])).stderr).not.toContain('starts');
      expect(one.git('log', '-1', '--format=%s')).toBe('Plan the search');
    }
  });
});

/** Login and Logout have landed; main is not moved yet. */
const landed = savedScene(async (one) => {
  project(one, {
    tasks: { 'PRD.md': START },
    files: { 'notes.txt': 'a\nb\nc\n' },
    config: { landing: { publish: 'manual' } },
  });
  expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
});
const ticked = (text: string): string => text.replace(/\[ \] (Login|Logout)$/gm, '[x] $1');

const EDITS: readonly (readonly [string, (text: string) => string])[] = [
  ['adds a task below', (text) => `${text}- [ ] Search\n`],
  ['turns the order round', (text) => text.replace('- [ ] Login\n- [ ] Logout', '- [ ] Logout\n- [ ] Login')],
  ['changes the words of a neighbour', (text) => text.replace('Profile', 'Profile, with a picture')],
  ['ticks one that landed by hand', (text) => text.replace('[ ] Login', '[x] Login')],
  ['deletes one that landed', (text) => text.replace('- [ ] Login\n', '')],
  ['writes it with other line ends', (text) => text.replaceAll('\n', '\r\n')],
];

describe('mend 1: what the person makes of the task file meanwhile', () => {
  it.each(EDITS)('mend 1: the person %s and leaves it there: published, only boxes change', async (_what, edit) => {
    const one = await landed();
    const edited = edit(START);
    one.put('PRD.md', edited);
    expect((await ralph(one, ['publish'])).code).toBe(0);
    expect(committed(one)).toBe(ticked(START));
    const wanted = edited.includes('\r')
      ? ticked(edited.replaceAll('\r', '')).replaceAll('\n', '\r\n')
      : ticked(edited);
    expect(disk(one)).toBe(wanted);
    expect(one.git('status', '--porcelain')).toBe(wanted === ticked(START) ? '' : ' M PRD.md');
    expect(one.git('ls-files', '-s', 'PRD.md')).toContain(one.git('rev-parse', 'main:PRD.md'));
  });

  it.each(EDITS.slice(0, -1))(
    'mend 1: the person %s and commits it: what is printed leads to a main that has everything',
    async (_what, edit) => {
      const one = await landed();
      one.put('PRD.md', edit(START));
      one.git('commit', '-q', '-a', '-m', 'Mine');
      await follow(one, ['publish']);
      await follow(one, ['publish']);
      expect(committed(one)).toBe(ticked(edit(START)));
      expect(one.git('log', '--format=%s', 'main')).toContain('Mine');
      expect(one.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
        expect.arrayContaining(['login.txt', 'logout.txt']),
      );
      expect(one.git('status', '--porcelain')).toBe('');
    },
  );

  it('mend 1: the person takes the whole file away: it stays away, committed or not', async () => {
    const left = await landed();
    rmSync(join(left.repo, 'PRD.md'));
    expect((await ralph(left, ['publish'])).code).toBe(0);
    expect(committed(left)).toBe(ticked(START));
    expect(left.git('status', '--porcelain')).toBe(' D PRD.md');
    left.git('commit', '-q', '-a', '-m', 'Mine');
    await follow(left, ['publish']);
  });

  it('mend 1: the person commits that the whole file goes: what landed comes, the file does not', async () => {
    const one = await landed();
    one.git('rm', '-q', 'PRD.md');
    one.git('commit', '-q', '-m', 'Mine');
    await follow(one, ['publish']);
    await follow(one, ['publish']);
    expect(one.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'login.txt',
      'logout.txt',
      'notes.txt',
      'ralph.toml',
    ]);
  });

  it('mend 1: staged, and partly staged: what is staged stays staged, with its ticks', async () => {
    const one = await landed();
    one.put('PRD.md', `${START}- [ ] Search\n`);
    one.git('add', 'PRD.md');
    one.put('PRD.md', `${START}- [ ] Search\n- [ ] Export\n`);
    expect((await ralph(one, ['publish'])).code).toBe(0);
    expect(committed(one)).toBe(ticked(START));
    expect(one.git('show', ':PRD.md')).toBe(`${ticked(START)}- [ ] Search`);
    expect(disk(one)).toBe(`${ticked(START)}- [ ] Search\n- [ ] Export\n`);
    expect(one.git('status', '--porcelain')).toBe('MM PRD.md');
  });

  it('mend 1: another file that conflicts, beside a committed task: the printed command leads out', async () => {
    const one = await landed();
    one.put('PRD.md', `${START}- [ ] Search\n`);
    one.put('login.txt', 'mine\n');
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Mine');
    expect((await ralph(one, ['publish'])).stderr).toContain('ralph land --all');
    const stopped = await ralph(one, ['land', '--all', '--publish', 'end']);
    expect(stopped.code).toBe(6);
    expect(stopped.stderr).toContain('conflict: login.txt\n');
    expect(stopped.stderr).not.toContain('next: ralph publish');
    const next = /next: (.+)$/m.exec(stopped.stderr)?.[1] ?? '';
    expect(asTyped(one, next).code).not.toBe(0);
    one.put('login.txt', 'both\n');
    one.put('PRD.md', `${ticked(START)}- [ ] Search\n`);
    one.git('commit', '-q', '-a', '-m', 'Both');
    expect(asTyped(one, next).code).toBe(0);
    expect(committed(one)).toBe(`${ticked(START)}- [ ] Search\n`);
    expect((await ralph(one, ['publish'])).code).toBe(0);
  });

  it('mend 1: an edit that takes no tick is named with one command that works', async () => {
    const one = await landed();
    one.put('PRD.md', `${START}- [ ] Login <!-- id: login -->\n- [ ] Twin <!-- id: login -->\n`);
    const before = disk(one);
    const blocked = await ralph(one, ['publish']);
    expect(blocked.code).toBe(6);
    expect(disk(one)).toBe(before);
    await follow(one, ['publish']);
    expect(committed(one)).toBe(ticked(START));
    expect(one.git('stash', 'list')).not.toBe('');
    expect(one.git('show', 'stash@{0}:PRD.md')).toBe(before.trimEnd());
  });
});

interface Format {
  readonly path: string;
  readonly text: string;
  readonly done: string;
  readonly edit: readonly [string, string];
}
const FORMATS: readonly Format[] = [
  {
    path: 'prd.json',
    text: '{ "stories": [\n  { "id": "a", "title": "A", "passes": false },\n  { "id": "b", "title": "B", "blocked": true }\n] }\n',
    done: '{ "stories": [\n  { "id": "a", "title": "A", "passes": true },\n  { "id": "b", "title": "B", "blocked": true }\n] }\n',
    edit: ['"title": "B"', '"title": "B, said better"'],
  },
  {
    path: 'tasks.yaml',
    text: 'tasks:\n  - id: a # first\n    title: A\n    completed: no\n  - id: b\n    title: B\n    status: blocked\n',
    done: 'tasks:\n  - id: a # first\n    title: A\n    completed: yes\n  - id: b\n    title: B\n    status: blocked\n',
    edit: ['title: A\n', 'title: A\n    notes: as small as can be\n'],
  },
];

describe('mend 1: json and yaml', () => {
  it.each(FORMATS)('mend 1: $path with an edit, left there or committed', async ({ path, text, done, edit }) => {
    for (const isCommitted of [false, true]) {
      const one = scratch();
      project(one, { tasks: { [path]: text }, config: { landing: { publish: 'manual' } } });
      expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
      one.put(path, text.replace(...edit));
      if (isCommitted) one.git('commit', '-q', '-a', '-m', 'Mine');
      await follow(one, ['publish']);
      await follow(one, ['publish']);
      expect(committed(one, path)).toBe(isCommitted ? done.replace(...edit) : done);
      expect(disk(one, path)).toBe(done.replace(...edit));
    }
  });
});

describe('mend 1: killed while an edited task file is published', () => {
  it.each(['journal', 'staged', 'merged', 'restaged', 'aside', 'ticked', 'done'])(
    'mend 1: killed at publish.%s: nothing is lost, and the next start ends it',
    async (point) => {
      const one = await landed();
      one.put('PRD.md', `${START}- [ ] Search\n`);
      one.git('add', 'PRD.md');
      one.put('PRD.md', `${START}- [ ] Search\n- [ ] Export\n`);
      await crashAt(one, ['publish'], `publish.${point}`);
      expect(disk(one).replaceAll('[x]', '[ ]')).toBe(`${START}- [ ] Search\n- [ ] Export\n`);
      expect((await ralph(one, ['publish'])).code).toBe(0);
      expect(committed(one)).toBe(ticked(START));
      expect(one.git('show', ':PRD.md')).toBe(`${ticked(START)}- [ ] Search`);
      expect(disk(one)).toBe(`${ticked(START)}- [ ] Search\n- [ ] Export\n`);
      expect(one.git('status', '--porcelain')).toBe('MM PRD.md');
    },
  );
});
