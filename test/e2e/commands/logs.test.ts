import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { bundle } from '../harness/bundle.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, loopOf, shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

const TWO_ITERATIONS = `
echo "words of $RALPH_ITERATION"
printf '\\033[31mred\\033[0m and \\033]0;title\\007quiet\\n'
echo "complaint of $RALPH_ITERATION" >&2
echo $RALPH_ITERATION >> made.txt
if [ "$RALPH_ITERATION" = 2 ]; then printf '<promise>COMPLETE</promise>'; fi`;

const ranTwice = savedScene(async (one) => {
  shellProject(one, TWO_ITERATIONS, { tasks: ['alpha'], files: { 'deep/x.txt': 'x' } });
  expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
});

describe('logs', () => {
  it('shows every iteration in order, cleaned, from anywhere, and after the worktree is gone', async () => {
    const one = await ranTwice();
    const loop = await loopOf(one, 'alpha');
    const text = [1, 2].map(
      (n) =>
        `=== ${loop} iteration ${n} (shell) ===\nwords of ${n}\nred and quiet\n${n === 2 ? '<promise>COMPLETE</promise>\n' : ''}`,
    );
    const { code, stdout } = await ralph(one, ['logs', 'alpha']);
    expect([code, stdout]).toEqual([0, text.join('')]);
    expect((await ralph(one, ['logs', loop.slice(0, -1)], { cwd: join(one.repo, 'deep') })).stdout).toBe(stdout);
    one.git('worktree', 'add', '-q', '--detach', beside(one, 'mine'));
    expect((await ralph(one, ['logs', loop], { cwd: beside(one, 'mine') })).stdout).toBe(stdout);
    one.git('worktree', 'remove', beside(one, 'mine'));
    expect((await ralph(one, ['parallel', 'clean'])).code).toBe(0);
    expect((await ralph(one, ['logs', 'alpha'])).stdout).toBe(stdout);
    expect((await ralph(one, ['logs', 'alpha', '--follow'])).stdout).toBe(stdout);
  });

  it('shows one iteration, the bytes as they were, standard error, or JSON', async () => {
    const one = await ranTwice();
    const second = await ralph(one, ['logs', 'alpha', '--iteration', '2']);
    expect(second.stdout).toContain('words of 2');
    expect(second.stdout).not.toContain('words of 1');
    const raw = await ralph(one, ['logs', 'alpha', '--raw', '--iteration', '1']);
    expect(raw.stdout).toBe('words of 1\n\u001b[31mred\u001b[0m and \u001b]0;title\u0007quiet\n');
    const errors = await ralph(one, ['logs', 'alpha', '--stderr']);
    expect(errors.stdout).toMatch(/iteration 1[^]*complaint of 1\n[^]*iteration 2[^]*complaint of 2\n/);
    const lines = (await ralph(one, ['logs', 'alpha', '--json'])).stdout.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      version: 1,
      iteration: 1,
      type: 'said',
      text: 'words of 1',
      is_part: false,
    });
    expect(lines).toHaveLength(5);
  });

  it('reads what a client printed by its protocol', async () => {
    const one = scratch();
    const said = 'All made. <promise>COMPLETE</promise>';
    shellProject(
      one,
      `echo x > x.txt\necho 'Warning: not JSON'\n${claudeLines(said, 0.5)}`,
      { tasks: ['alpha'] },
      { driver: 'claude' },
    );
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const { stdout } = await ralph(one, ['logs', 'alpha']);
    for (const words of ['I will write the file.', 'touch hello.txt', said, 'Warning: not JSON'])
      expect(stdout).toContain(words);
    expect(stdout).not.toContain('"type"');
    expect((await ralph(one, ['logs', 'alpha', '--raw'])).stdout).toContain('{"type":"system"');
    const events = (await ralph(one, ['logs', 'alpha', '--json'])).stdout.trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('finished');
  });

  it('follows into the next iteration, and ends with the loop', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    shellProject(
      one,
      `echo "begin $RALPH_ITERATION"
       while [ ! -e ${go}.$RALPH_ITERATION ]; do sleep 0.1; done
       echo $RALPH_ITERATION >> made.txt; echo "end $RALPH_ITERATION"
       if [ "$RALPH_ITERATION" = 2 ]; then echo '<promise>COMPLETE</promise>'; fi`,
      { tasks: ['alpha'] },
    );
    const run = startRalph(one, ['run', '--parallel']);
    const runs = join(one.repo, '.git/paralph/runs');
    await until('the run folder', () => existsSync(runs) && readdirSync(runs).length > 0);
    const logs = startRalph(one, ['logs', 'alpha', '-f']);
    await logs.waitFor(/begin 1/);
    const first = startRalph(one, ['logs', 'alpha', '-f', '--iteration', '1']);
    await first.waitFor(/begin 1/);
    expect(logs.output().stdout).not.toContain('end 1');
    writeFileSync(`${go}.1`, '');
    await logs.waitFor(/end 1\n=== .* iteration 2 .*\nbegin 2/);
    const only = await first.ended;
    expect([only.code, only.stdout.includes('end 1'), only.stdout.includes('begin 2')]).toEqual([0, true, false]);
    writeFileSync(`${go}.2`, '');
    const followed = await logs.ended;
    expect(followed.code).toBe(0);
    expect(followed.stdout).toMatch(/end 2\n<promise>COMPLETE<\/promise>\n$/);
    expect((await run.ended).code).toBe(0);
  });

  it('answers wrong words at once', async () => {
    const one = await ranTwice();
    for (const [words, code] of [
      [['logs', 'nobody'], 'E_UNKNOWN_ID'],
      [['logs', 'alpha', '--iteration', '3'], 'E_UNKNOWN_ID'],
      [['logs', 'alpha', '--iteration', 'x'], 'E_USAGE'],
      [['logs', 'alpha', '--raw', '--json'], 'E_USAGE'],
    ] as const) {
      const answer = await ralph(one, words);
      expect([words, answer.code, answer.stdout]).toEqual([words, 2, '']);
      expect(answer.stderr).toContain(code);
    }
  });

  it('does not mind that its reader goes away', async () => {
    const one = scratch();
    shellProject(one, `yes line | head -c 3000000\necho x > x.txt\necho '<promise>COMPLETE</promise>'`, {
      tasks: ['alpha'],
    });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const env = { ...one.env, NODE: process.execPath, MAIN: bundle().main };
    const piped = '{ "$NODE" "$MAIN" logs alpha | head -n 2 | tail -n 1; } 2>&1';
    const said = execFileSync('sh', ['-c', piped], { cwd: one.repo, env, encoding: 'utf8' });
    expect(said).toBe('line\n');
  });
});
