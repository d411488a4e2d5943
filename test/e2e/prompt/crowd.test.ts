import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { parseEvents } from '../harness/events.ts';
import { landedTasks } from '../harness/git.ts';
import { foldersOf, promptFor, promptProject, readBook, tellAgents, PROMISE } from '../harness/prompt-project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { KEEP_BOTH } from '../harness/storm.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

/** All of them work at the same time; every other one commits by itself. */
const MEETING = `pwd -P > "$name.txt"
case $name in *[02468]) git add "$name.txt"; git commit -q -m "$name made" ;; esac
touch "$BOOKS/here-$name"
hold go
${PROMISE}`;

/** Starts them in the same folder at once, and lets them go on when all are there. */
async function atOnce(one: Scratch, names: readonly string[]): Promise<void> {
  const runs = names.map((name) => startRalph(one, ['run', '--events', promptFor(name)], { timeoutMs: 120_000 }));
  await until('all agents at work', () => names.every((name) => foldersOf(one, name).length > 0), 90_000);
  tellAgents(one, 'go');
  const results = await Promise.all(runs.map((run) => run.ended));
  expect(
    results.map(({ code }) => code),
    results.map(({ stderr }) => stderr).join('\n'),
  ).toEqual(names.map(() => 0));
  results.forEach(({ stdout }, at) => {
    const events = parseEvents(stdout);
    const own = events.find(({ type, loop }) => type === 'task-claimed' && loop?.startsWith(`make-${names[at]}-now-`));
    expect(own, `${names[at]} is told of its own loop`).toBeDefined();
    const told = new Set(events.flatMap(({ loop }) => loop ?? []));
    expect([...told], 'and of no other').toEqual([own?.loop]);
    expect(events.filter(({ type }) => type === 'host-joined')).toHaveLength(1);
    expect(readBook(one, `${names[at]}.prompt`)).toContain(promptFor(names[at] ?? ''));
    for (const other of names.filter((name) => name !== names[at]))
      expect(readBook(one, `${names[at]}.prompt`)).not.toContain(promptFor(other));
  });
}

function allApart(one: Scratch, names: readonly string[]): void {
  const folders = names.map((name) => foldersOf(one, name));
  expect(folders.flat()).toHaveLength(names.length);
  expect(new Set(folders.flat()).size).toBe(names.length);
  expect(folders.flat().filter((folder) => folder === one.repo)).toHaveLength(1);
  for (const name of names) expect(one.git('show', `main:${name}.txt`)).toBe(foldersOf(one, name)[0]);
  expect(one.git('status', '--porcelain')).toBe('');
  expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', INT));
  const landed = landedTasks(one.git, INT);
  for (const name of names) expect(landed.filter((task) => task.startsWith(`make-${name}-now-`))).toHaveLength(1);
}

describe('runs started at once in one folder', () => {
  it('scenarios 18 and 28: three, then ten, each where nobody else is; all land, nothing crosses, nothing is left', async () => {
    const one = scratch();
    promptProject(one, MEETING);
    const ignore = readFileSync(join(one.repo, '.gitignore'));
    for (const count of [3, 10]) {
      const names = Array.from({ length: count }, (_, at) => `of${count}n${at}`);
      await atOnce(one, names);
      allApart(one, names);
    }
    expect(readFileSync(join(one.repo, '.gitignore'))).toEqual(ignore);
    expect(readFileSync(join(one.repo, '.ralph/.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(join(one.repo, '.ralph'))).not.toContain('loop.lock');
    expect(one.git('for-each-ref', 'refs/heads', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('one in place and one apart that change the same line: both land, and the checkout ends with both', async () => {
    const one = scratch();
    promptProject(
      one,
      `if grep -q '^<<<<<<<' list.txt; then ${KEEP_BOTH}; else
echo "$name" >> list.txt
touch "$BOOKS/here-$name"
test "$name" = fast || hold end
fi
${PROMISE}`,
    );
    one.put('list.txt', 'the list\n');
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'List');
    one.put('yours.txt', 'yours\n');
    const slow = startRalph(one, ['run', promptFor('slow')]);
    await until('its agent', () => existsSync(beside(one, 'books/here-slow')));
    const fast = await ralph(one, ['run', '--worktree', promptFor('fast')], { isCheckoutGuarded: false });
    // Its file is in the way of publishing as long as it is not done with it.
    expect([fast.code, fast.stderr]).toEqual([6, expect.stringContaining('list.txt (modified)')]);
    tellAgents(one, 'end');
    const { code, stderr } = await slow.ended;
    expect(code, stderr).toBe(0);
    expect(foldersOf(one, 'slow')).toEqual([one.repo, expect.stringContaining('.ralph/worktrees/')]);
    expect(readFileSync(join(one.repo, 'list.txt'), 'utf8')).toBe('the list\nslow\nfast\n');
    expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', INT));
    expect(one.git('status', '--porcelain')).toBe('?? yours.txt');
  });
});
