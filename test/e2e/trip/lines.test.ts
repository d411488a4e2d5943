import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { markdownTasks } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { CLAIM, OWN_FILE } from '../harness/train.ts';
import { until } from '../harness/until.ts';

const CHECK = `import { strictEqual } from 'node:assert';
import { existsSync } from 'node:fs';
if (existsSync('sum.mjs')) {
  const { sum } = await import('./sum.mjs');
  strictEqual(sum(1, 2), 3, 'the sum of 1 and 2 is wrong');
}
`;
const PACKAGE = JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'node check.mjs' } });
const WRONG = `echo "export const sum = (a, b) => a * b + 10 + $RALPH_ITERATION;" > sum.mjs`;
const ROOM = /sh gate\.sh.*: t1\.txt:1: error: there is room for one/;
/** Two that are right alone and wrong together; npm says nothing of use after that. */
const TOGETHER = `if test -e t1.txt && test -e t2.txt; then
  echo "t1.txt:1: error: there is room for one"
  echo "npm ERR! Test failed.  See above for more details."
  exit 1
fi`;

describe('what is said of trouble', () => {
  it('trip 11: a red gate names its command, the file, and the line that matters: live, in the summary and the status', async () => {
    const one = scratch();
    shellProject(
      one,
      `${WRONG}; if [ $RALPH_ITERATION = 2 ]; then while [ ! -e ${beside(one, 'go')} ]; do sleep 0.1; done; fi; ${CLAIM}`,
      {
        tasks: ['t1'],
        files: { 'check.mjs': CHECK, 'package.json': PACKAGE },
        config: { gates: { commands: ['npm test'] }, limits: { iterations: 2 } },
      },
    );
    const why = /npm test: check\.mjs:5.*AssertionError.*the sum of 1 and 2 is wrong/;
    const run = startRalph(one, ['run']);
    const [live = ''] = await run.waitFor(/t1 gates red.*/);
    expect(live).toMatch(why);
    const working = await until('the status of the second iteration', async () => {
      const { stdout } = await ralph(one, ['status']);
      return /iteration 2/.test(stdout) && stdout;
    });
    expect(working).toMatch(why);
    writeFileSync(beside(one, 'go'), '');
    const ended = await run.ended;
    expect(ended.code).toBe(1);
    const told = ended.stderr.split('\n').filter((line) => /t1.*parked|parked +t1/.test(line));
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toMatch(why);
    const status = await ralph(one, ['status']);
    expect(status.stdout.split('\n').find((line) => /parked +t1/.test(line))).toMatch(why);
  });

  it('trip 11: red once merged names the command, the file and the line that matters', async () => {
    const one = scratch();
    shellProject(one, `${OWN_FILE}; ${CLAIM}`, {
      tasks: ['t1', 't2'],
      files: { 'gate.sh': TOGETHER },
      config: {
        gates: { commands: ['sh gate.sh'] },
        parallel: { merge_policy: 'manual' },
        'parallel.conflict_resolution': { strategy: 'stop' },
      },
    });
    expect((await ralph(one, ['run', '--parallel', '--max-workers', '2'])).code).toBe(0);
    const { stderr } = await ralph(one, ['land', '--all']);
    const told = stderr.split('\n').filter((line) => /t[12].*parked|parked +t[12]/.test(line));
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toMatch(ROOM);
    const tested = stderr.split('\n').find((line) => line.includes('merged with main the gates are red'));
    expect(tested).toMatch(ROOM);
    expect((await ralph(one, ['status'])).stdout).toMatch(ROOM);
  });

  it('trip 11: the run, its summary, the status and doctor say how main itself fails', async () => {
    const one = scratch();
    shellProject(one, `${OWN_FILE}; ${CLAIM}`, { tasks: ['t1'], config: { gates: { commands: ['cat built.cfg'] } } });
    const how =
      /main itself fails its gates \([0-9a-f]{10}\): cat built\.cfg: cat: built\.cfg: No such file or directory$/gm;
    const ended = await ralph(one, ['run']);
    expect([ended.code, ended.stderr.match(how)?.length], ended.stderr).toEqual([6, 2]);
    for (const face of ['status', 'doctor']) expect((await ralph(one, [face])).stdout).toMatch(how);
  });

  it('trip 11: a conflict names the file, whose work it meets, and the command that shows it', async () => {
    const one = scratch();
    shellProject(one, `echo "made by $RALPH_TASK_ID" > same.txt; ${CLAIM}`, {
      tasks: ['a', 'b'],
      config: { 'parallel.conflict_resolution': { strategy: 'stop' }, parallel: { merge_policy: 'manual' } },
    });
    expect((await ralph(one, ['run', '--parallel', '--max-workers', '2'])).code).toBe(0);
    expect((await ralph(one, ['land', 'a'])).code).toBe(0);
    const { stderr } = await ralph(one, ['land', 'b']);
    const why = /same\.txt.*\(a\).*git merge-tree --write-tree --name-only refs\/paralph\/int\/main ralph\/b-/;
    const told = stderr.split('\n').filter((line) => /^b parked|parked +b/.test(line));
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toMatch(why);
    const status = await ralph(one, ['status']);
    const row = status.stdout.split('\n').find((line) => /parked +b/.test(line)) ?? '';
    expect(row).toMatch(why);
    // It can be pasted.
    const [command = ''] = /git merge-tree \S+ \S+ \S+ ralph\/b-[\w-]+/.exec(row) ?? [];
    expect(spawnSync('sh', ['-c', command], { cwd: one.repo, env: one.env, encoding: 'utf8' }).stdout).toContain(
      'same.txt',
    );
  });

  it('trip 11: an agent that fails is named with its command and its last words', async () => {
    const one = scratch();
    shellProject(
      one,
      `echo 'reading src/app.js' >&2; echo 'src/app.js:7: the model is not there' >&2; echo >&2; exit 9`,
      {
        tasks: { 'PRD.md': markdownTasks(['t1']) },
        config: { limits: { consecutive_failures: 2 } },
      },
    );
    const ended = await ralph(one, ['run']);
    const why = /shell: exit 9: src\/app\.js:7: the model is not there/;
    expect(ended.stderr.split('\n').find((line) => line.startsWith('t1 iteration 1:'))).toMatch(why);
    const told = ended.stderr.split('\n').filter((line) => /t1.*parked|parked +t1/.test(line));
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toMatch(why);
    expect((await ralph(one, ['status'])).stdout).toMatch(why);
  });
});
