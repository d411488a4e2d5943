import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { crashAt } from '../harness/crash.ts';
import { gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { foldersOf, promptFor, promptProject, PROMISE, readBook } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

/** Commits all there is, a person's files too, or only what it made, and goes on. */
const COMMITS = `echo "made by $name" > "$name.txt"
case $name in
*spawn) git checkout -q --detach; git add "$name.txt"; git commit -q -m "$name" -- "$name.txt" ;;
*returned) git add "$name.txt"; git commit -q -m "$name" -- "$name.txt" ;;
*) git add -A; git commit -q -m "$name" ;;
esac
git rev-parse HEAD >> "$BOOKS/commits"
echo more >> "$name.txt"
${PROMISE}`;

/** Of what is the same for every loop, its landing for one, recovery.test.ts has the places. */
const POINTS = [
  'place.noted',
  'place.taken',
  'run.after_spawn',
  'place.back',
  'place.returned',
  'place.committed',
  'place.moved',
  'publish.journal',
  'place.left',
];

const yours = (one: Scratch): readonly string[] => [
  one.git('status', '--porcelain', '-uall'),
  one.git('diff', '--cached'),
  one.git('stash', 'list', '--format=%H'),
  readFileSync(join(one.repo, 'README.md'), 'utf8'),
  readFileSync(join(one.repo, 'new.txt'), 'utf8'),
];

describe('a host that dies while its loop works in place', () => {
  it('scenario 34: killed anywhere, continued: landed once, and what is yours is untouched', async () => {
    const one = scratch();
    promptProject(one, COMMITS);
    one.put('README.md', 'put aside');
    one.git('stash', 'push', '-q');
    one.put('README.md', 'staged');
    one.git('add', '-A');
    one.put('README.md', 'changed');
    one.put('new.txt', 'new');
    const before = yours(one);
    for (const point of POINTS) {
      const name = point.replaceAll(/[._]/g, '-');
      await crashAt(one, ['run', promptFor(name)], point, { isCheckoutGuarded: false });
      const made = readBook(one, 'commits')
        .split('\n')
        .filter((line) => line !== '');
      const reached = one.git('rev-list', '--all', 'HEAD').split('\n');
      expect(reached, `${point}: what agents committed`).toEqual(expect.arrayContaining(made));
      // The agent lives on, and what it does to HEAD must keep nobody from going on.
      if (point === 'run.after_spawn')
        await until('HEAD is detached', () => !gitSays(one.git, 'symbolic-ref', '-q', 'HEAD'));
      const again = await ralph(one, ['run', '--continue'], { isCheckoutGuarded: false });
      expect(again.code, `${point}\n${again.stderr}`).toBe(0);
      expect(one.git('show', `main:${name}.txt`), point).toMatch(`made by ${name}\nmore`);
      expect(foldersOf(one, name).length, `agents started around ${point}`).toBe(1);
      expect(yours(one), point).toEqual(before);
      const landed = landedTasks(one.git, INT).filter((task) => task.startsWith(`make-${name}-now-`));
      expect(landed, point).toHaveLength(1);
      expect(one.git('log', '--format=%H', 'main', '--', 'new.txt')).toBe('');
    }
    expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', INT));
    expect(refsBelow(one.git, 'refs/heads/')).toEqual(['refs/heads/main']);
  });
});
