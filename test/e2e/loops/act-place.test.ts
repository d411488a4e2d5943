import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { listOf } from '../harness/answers.ts';
import { everything } from '../harness/fingerprint.ts';
import { gitSays, refsBelow } from '../harness/git.ts';
import { processesOf } from '../harness/processes.ts';
import { foldersOf, HONEST_SH, promptFor, promptProject, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

/** In place, a loop changes the checkout: that is what it is for. */
const OPEN = { isCheckoutGuarded: false };
const HALF_SH =
  'echo "half of $name" > "$name.txt"\ngit add "$name.txt"\ngit commit -q -m "Half of $name" -- "$name.txt"';

const rowsOf = async (one: Scratch): Promise<readonly Record<string, unknown>[]> =>
  listOf((await ralph(one, ['loops', 'list', '--all', '--json'])).stdout, 'loops');
const rowOf = async (one: Scratch, name: string): Promise<Record<string, unknown>> =>
  (await rowsOf(one)).find((row) => String(row['id']).includes(name)) ?? {};

describe('loops that were started by hand', () => {
  itNeeds('tmux', hasTmux)(
    'scenario 11, 12: stopped, resumed and thrown away, wherever they worked, and nothing of yours goes',
    async () => {
      const one = scratch();
      promptProject(one, `${HALF_SH}\nhold go`, { limits: { grace: '1s' } });
      const run = startRalph(one, ['run', promptFor('first')]);
      await until('its agent has committed', () => one.git('log', '-1', '--format=%s', 'HEAD') === 'Half of first');
      expect(foldersOf(one, 'first')).toEqual([one.repo]);
      const busy = await ralph(one, ['loops', 'discard', 'make-first', '-y']);
      expect([busy.code, busy.stderr]).toEqual([
        5,
        expect.stringMatching(/fix: ralph loops discard make-first\S+ --force\n/),
      ]);
      const stopped = await ralph(one, ['loops', 'stop', '--force', '--json']);
      expect([stopped.code, listOf(stopped.stdout, 'stopped')]).toMatchObject([0, [{ state: 'stopped' }]]);
      await run.ended;
      expect(processesOf(one.root).filter((found) => found.isLoops)).toEqual([]);
      expect(existsSync(join(one.repo, 'first.txt'))).toBe(true);
      writeAgent(one, HONEST_SH);
      const first = await rowOf(one, 'first');
      const resumed = await ralph(one, ['loops', 'resume', String(first['id'])]);
      expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('landed')]);
      expect(one.git('show', 'main:first.txt')).toBe('made by first');

      expect((await ralph(one, ['run', promptFor('zeroth'), '--worktree', '--no-auto-merge'])).code).toBe(0);
      const zeroth = await rowOf(one, 'zeroth');
      expect(zeroth).toMatchObject({ state: 'ready', reason: 'manual' });
      const merged = await ralph(one, ['loops', 'merge', String(zeroth['id'])]);
      expect([merged.code, merged.stderr]).toEqual([0, expect.stringContaining('landed')]);
      expect(one.git('show', 'main:zeroth.txt'), 'without any task file').toBe('made by zeroth');

      writeAgent(one, HALF_SH);
      expect((await ralph(one, ['run', promptFor('second'), '--max-iterations', '1'], OPEN)).code).toBe(1);
      const second = await rowOf(one, 'second');
      const id = String(second['id']);
      writeFileSync(join(one.repo, 'mine.txt'), 'mine\n');
      const before = everything(one.repo);
      const asked = openTerminal(one, ['loops', 'discard', id]);
      await asked.waitFor(/Discard .*\[y\/N\]/);
      asked.type('n\n');
      await asked.ended();
      expect(asked.screen()).toContain('nothing changed');
      expect(everything(one.repo)).toEqual(before);
      const gone = await ralph(one, ['loops', 'discard', id, '-y']);
      expect([gone.code, gone.stderr]).toEqual([0, expect.stringContaining('your checkout stays as it is')]);
      expect((await rowOf(one, 'second'))['state']).toBe('discarded');
      expect([existsSync(join(one.repo, 'mine.txt')), existsSync(join(one.repo, 'README.md'))]).toEqual([true, true]);

      const topic = beside(one, 'topic');
      one.git('worktree', 'add', '-q', '-b', 'topic', topic);
      expect(
        (await ralph(one, ['run', promptFor('third'), '--max-iterations', '1'], { ...OPEN, cwd: topic })).code,
      ).toBe(1);
      expect(foldersOf(one, 'third')).toEqual([topic]);
      const third = await rowOf(one, 'third');
      expect(third['branch']).toBe('topic');
      one.git('-C', topic, 'checkout', '-q', '--detach');
      expect((await ralph(one, ['loops', 'discard', String(third['id']), '-y'])).stderr).toContain('is yours');
      await ralph(one, ['prune']);
      expect(one.git('show', 'topic:third.txt')).toBe('half of third');
      expect(existsSync(join(topic, 'third.txt'))).toBe(true);

      expect((await ralph(one, ['run', promptFor('fourth'), '--worktree', '--max-iterations', '1'], OPEN)).code).toBe(
        1,
      );
      const fourth = await rowOf(one, 'fourth');
      writeFileSync(join(String(fourth['worktree']), 'draft.txt'), 'not committed\n');
      expect((await ralph(one, ['loops', 'diff', String(fourth['id'])])).stdout).toMatch(
        /\+not committed[^]*\+half of fourth/,
      );
      rmSync(String(fourth['worktree']), { recursive: true });
      expect((await ralph(one, ['loops', 'discard', String(fourth['id']), '-y'])).code).toBe(0);
      expect(one.git('worktree', 'list', '--porcelain')).not.toContain(String(fourth['worktree']));
      expect(refsBelow(one.git, 'refs/heads/ralph/')).not.toContain(`refs/heads/${String(fourth['branch'])}`);
      expect(
        refsBelow(one.git, 'refs/paralph/keep/').some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:fourth.txt`)),
      ).toBe(true);
      expect((await rowOf(one, 'fourth'))['state']).toBe('discarded');
    },
  );
});
