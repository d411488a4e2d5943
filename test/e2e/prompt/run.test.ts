import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { parseEvents } from '../harness/events.ts';
import { differences, everything } from '../harness/fingerprint.ts';
import { landedTasks } from '../harness/git.ts';
import { foldersOf, promptFor, promptProject, PROMISE, readBook, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines } from '../harness/shell-agent.ts';
import { INT } from '../harness/values.ts';

describe('ralph run PROMPT', () => {
  it('scenarios 24, 25 and 27: one run, in place, in a fresh repository; the next one knows nothing of it', async () => {
    const one = scratch();
    promptProject(one, `echo $RALPH_ITERATION >> "$name.txt"\ntest $RALPH_ITERATION -lt 2 || ${PROMISE}`);
    const first = await ralph(one, ['run', '--events', '--max-iterations', '2', promptFor('first')]);
    expect(first.code, first.stderr).toBe(0);
    expect(foldersOf(one, 'first')).toEqual([one.repo, one.repo]);
    expect(one.git('show', 'main:first.txt')).toBe('1\n2');
    // Gates are run elsewhere, on exactly what would land.
    expect(readdirSync(join(one.repo, '.ralph/worktrees')).filter((name) => !name.startsWith('gate-'))).toEqual([]);
    expect(one.git('for-each-ref', 'refs/heads', '--format=%(refname)')).toBe('refs/heads/main');
    expect(one.git('status', '--porcelain')).toBe('');
    const second = await ralph(one, ['run', '--events', promptFor('second')]);
    expect(second.code, second.stderr).toBe(0);
    expect(readBook(one, 'second.prompt')).not.toContain('first');
    expect(one.git('show', 'main:second.txt')).toBe('1\n2');
    expect(landedTasks(one.git, INT)).toHaveLength(2);
    const own = parseEvents(second.stdout).filter(({ type }) => type === 'iteration-ended');
    expect(own.map(({ n, loop }) => [n, loop?.startsWith('make-second-now-')])).toEqual([
      [1, true],
      [2, true],
    ]);
  });

  it('scenario 25: --continue keeps the loop, its count and its cost', async () => {
    const one = scratch();
    const count = 'echo $RALPH_ITERATION >> "$name.txt"';
    const config = { limits: { iterations: 2 } };
    promptProject(one, `${count}\n${claudeLines('More to do.', 0.4)}`, config, { driver: 'claude' });
    const short = await ralph(one, ['run', '--json', promptFor('long')], { isCheckoutGuarded: false });
    expect(short.code, short.stderr).toBe(1);
    const { parked } = JSON.parse(short.stdout) as { parked: { task: string; reason: string }[] };
    expect(parked).toMatchObject([{ reason: 'iterations' }]);
    expect(one.git('status', '--porcelain')).toBe('?? long.txt');
    writeAgent(one, `${count}\n${claudeLines('Done. <promise>COMPLETE</promise>', 0.4)}`);
    const long = await ralph(one, ['run', '--continue', '--events'], { isCheckoutGuarded: false });
    expect(long.code, long.stderr).toBe(0);
    expect(one.git('show', 'main:long.txt')).toBe('1\n2\n3');
    expect(foldersOf(one, 'long')).toEqual([one.repo, one.repo, one.repo]);
    expect(landedTasks(one.git, INT)).toEqual([parked[0]?.task]);
    expect(one.git('status', '--porcelain')).toBe('');
    const listed = await ralph(one, ['loops', 'list', '--all', '--json']);
    expect(listOf(listed.stdout, 'loops')).toMatchObject([
      { id: parked[0]?.task, iterations: 3, cost_usd: expect.closeTo(1.2) },
    ]);
    const again = await ralph(one, ['run', '--continue']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('not exactly one loop to resume')]);
    const landed = await ralph(one, ['run', '--loop-id', parked[0]?.task ?? '']);
    expect([landed.code, landed.stderr]).toEqual([expect.any(Number), expect.stringContaining('has landed')]);
    expect(landed.code).not.toBe(0);
  });

  it('scenario 19 and prompts that are none: a clear refusal, and nothing is made', async () => {
    const bare = scratch({ hasRepository: false });
    const outside = await ralph(bare, ['run', 'x'], { isCheckoutGuarded: false });
    expect([outside.code, outside.stderr]).toEqual([4, expect.stringMatching(/not inside a git repository/i)]);
    expect(readdirSync(bare.repo)).toEqual([]);
    const unborn = scratch({ hasCommit: false });
    const empty = await ralph(unborn, ['run', 'x'], { isCheckoutGuarded: false });
    expect([empty.code, empty.stderr]).toEqual([4, expect.stringMatching(/no commit/i)]);
    expect(readdirSync(unborn.repo)).toEqual(['.git']);

    const one = scratch();
    promptProject(one);
    spawnSync('mkfifo', [beside(one, 'pipe')]);
    writeFileSync(beside(one, 'huge'), 'x'.repeat(2 * 1024 * 1024));
    writeFileSync(beside(one, 'blank'), ' \n');
    writeFileSync(beside(one, 'binary'), Buffer.from([0x7f, 0x45, 0xff, 0xfe]));
    const before = everything(one.repo);
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [['run', ''], /empty/],
      [['run', '-P', beside(one, 'none')], /no such file/],
      [['run', '-P', beside(one, 'pipe')], /not a plain file/],
      [['run', '-P', beside(one, 'huge')], /more than 1 MB/],
      [['run', '-P', beside(one, 'blank')], /empty/],
      [['run', '-P', beside(one, 'binary')], /not text in UTF-8/],
      [['run', '-P', ''], /names no file/],
      [['run', '-P', '-'], /standard input is empty/],
      [['run', 'x', '-P', beside(one, 'blank')], /both/],
      [['run', 'x', '--task', 'y'], /--task chooses from the task file/],
      [['run', 'x', '--wait', '5m'], /--wait needs --exclusive/],
      [['run', '--worktree', '--exclusive', 'x'], /--exclusive waits/],
      [['run', '--exclusive', '--wait', 'soon', 'x'], /not a duration/],
      [['run', '--continue', 'x'], /it takes no other/],
      [['run', '--worktree'], /no prompt/],
    ];
    for (const [args, said] of refused) {
      const { code, stderr, stdout } = await ralph(one, args);
      expect([[2, 3].includes(code ?? 0), stderr, stdout], args.join(' ')).toEqual([
        true,
        expect.stringMatching(said),
        '',
      ]);
      expect(stderr).toMatch(/^fix: /m);
    }
    const nested = await ralph(one, ['run', promptFor('nested')], { env: { RALPH_LOOP_ID: 'some-loop' } });
    expect([nested.code, nested.stderr]).toEqual([expect.any(Number), expect.stringContaining('some-loop')]);
    expect(nested.code).not.toBe(0);
    const changed = differences(before, everything(one.repo));
    expect(changed.filter((name) => name !== '.git/paralph/boot')).toEqual([]);
    expect(readBook(one, '.pwd')).toBe('');
    writeFileSync(join(one.repo, '.ralph'), 'mine\n');
    const inTheWay = await ralph(one, ['run', promptFor('x')]);
    expect([inTheWay.code, inTheWay.stderr]).toEqual([4, expect.stringMatching(/\.ralph in .* is a file[^]*fix: mv /)]);
  });

  it('says where it would work without doing so; takes PROMPT.md, a file, or words like a flag', async () => {
    const one = scratch();
    promptProject(one);
    one.put('PROMPT.md', `# ${promptFor('written')}\n\nAnd nothing else.\n`);
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Ask');
    const before = everything(one.repo);
    const plan = await ralph(one, ['run', '--dry-run', '--json', '-p', '--make dashed now']);
    expect(plan.code, plan.stderr).toBe(0);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      version: 1,
      loop: expect.stringMatching(/^make-dashed-now-/),
      place: { at: 'checkout', path: one.repo, branch: null },
    });
    for (const words of [['-P', 'PROMPT.md'], []]) {
      const apart = await ralph(one, ['run', '--dry-run', '--json', '--worktree', ...words]);
      expect(JSON.parse(apart.stdout)).toMatchObject({
        loop: expect.stringMatching(/^make-written-now-/),
        place: { at: 'worktree' },
        why: expect.stringContaining('--worktree'),
      });
    }
    expect(differences(before, everything(one.repo))).toEqual([]);
    const written = await ralph(one, ['run'], { cwd: one.repo });
    expect(written.code, written.stderr).toBe(0);
    expect(readBook(one, 'written.prompt')).toContain('And nothing else.');
    const dashed = await ralph(one, ['run', '-p', '--make dashed now']);
    expect(dashed.code, dashed.stderr).toBe(0);
    expect(one.git('show', 'main:dashed.txt')).toBe('made by dashed');
  });
});
