import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { everything } from '../harness/fingerprint.ts';
import { landedTasks } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { isAlive } from '../harness/processes.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

interface Report {
  readonly healthy: boolean;
  readonly fixed: readonly string[];
  readonly findings: readonly {
    readonly check: string;
    readonly level: string;
    readonly fixable: boolean;
    readonly remedy: string;
  }[];
}

const report = (stdout: string): Report => JSON.parse(stdout) as Report;
const RUN = ['run', '--parallel', '--max-workers', '2'];

function flip(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const bothLanded = savedScene(async (one) => {
  project(one, { tasks: ['a', 'b'] });
  expect((await ralph(one, RUN)).code).toBe(0);
});

describe('doctor --fix', () => {
  it('case 4: mends what is ours and says so; names what is not, and leaves every byte of it', async () => {
    const one = await bothLanded();
    const git = join(one.repo, '.git');
    const entry = readdirSync(join(git, 'worktrees')).find((name) => name.startsWith('wt')) ?? '';
    writeFileSync(join(git, 'worktrees', entry, 'HEAD'), `${'0'.repeat(40)}\n`);
    rmSync(join(git, 'worktrees', entry, 'paralph.json'));
    one.git('config', 'core.bare', 'true');
    writeFileSync(join(git, 'refs/paralph/int/main.lock'), '');
    rmSync(join(one.repo, '.ralph/logs'), { recursive: true });
    const record = readdirSync(join(git, 'paralph/log')).filter((name) => /^\d+$/.test(name))[4] ?? '';
    flip(join(git, 'paralph/log', record));
    const theirs = join(git, 'worktrees/theirs');
    mkdirSync(theirs);
    for (const [name, text] of Object.entries({
      commondir: '',
      HEAD: 'ref: refs/heads/x\n',
      gitdir: '/nowhere/.git\n',
    }))
      writeFileSync(join(theirs, name), text);
    writeFileSync(join(git, 'index.lock'), 'theirs');
    const before = everything(theirs);
    const aside = `mv ${theirs} ${join(git, 'broken-worktree-theirs')}`;
    const off = { isCheckoutGuarded: false };

    const looked = everything(one.repo);
    const sick = await ralph(one, ['doctor', '--json'], off);
    expect(sick.code).toBe(4);
    expect(everything(one.repo)).toEqual(looked);
    const ours = report(sick.stdout).findings.filter((finding) => finding.fixable);
    expect(new Set(ours.map(({ check }) => check))).toEqual(
      new Set(['config', 'worktrees', 'locks', 'log', 'folders']),
    );

    const first = await ralph(one, ['doctor', '--fix', '--json'], off);
    expect(first.code, first.stdout).toBe(4);
    expect(
      report(first.stdout)
        .findings.filter(({ level }) => level === 'fail')
        .map(({ remedy }) => remedy),
    ).toContain(aside);
    expect(report(first.stdout).findings.filter((finding) => finding.fixable)).toEqual([]);
    expect(everything(theirs)).toEqual(before);
    expect(readFileSync(join(git, 'index.lock'), 'utf8')).toBe('theirs');
    const refused = await ralph(one, RUN, off);
    expect(refused.code, refused.stderr).toBe(4);
    expect(refused.stderr).toContain(`fix: ${aside}\n`);
    expect(everything(theirs)).toEqual(before);
    rmSync(theirs, { recursive: true });
    rmSync(join(git, 'index.lock'));

    const second = await ralph(one, ['doctor', '--fix'], off);
    expect(second.code, second.stdout).toBe(0);
    expect(one.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    const third = await ralph(one, ['doctor', '--fix', '--json']);
    expect(report(third.stdout)).toMatchObject({ healthy: true, fixed: [] });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(
      starts(one)
        .map(({ task }) => task)
        .sort(),
    ).toEqual(['a', 'b']);
  });
});

it('a file in the place of the log is put aside, and what git knows is taken up again', async () => {
  const one = await bothLanded();
  const log = join(one.repo, '.git/paralph/log');
  rmSync(log, { recursive: true });
  writeFileSync(log, 'theirs');
  expect(report((await ralph(one, ['doctor', '--json'])).stdout).healthy).toBe(false);
  const { code, stdout } = await ralph(one, ['doctor', '--fix']);
  expect(code, stdout).toBe(0);
  const aside = /log was a file, which is in (\S+) now/.exec(stdout)?.[1] ?? '';
  expect(readFileSync(join(aside, 'log'), 'utf8')).toBe('theirs');
  expect((await ralph(one, RUN)).code).toBe(0);
  expect(starts(one)).toHaveLength(2);
});

describe('case 57: a flipped bit in the middle of the log', () => {
  it('status refuses and names the remedy; a run heals by itself with one line, and does nothing over', async () => {
    const one = await bothLanded();
    const log = join(one.repo, '.git/paralph/log');
    const records = readdirSync(log).filter((name) => /^\d+$/.test(name));
    const damaged = join(log, records[records.length >> 1] ?? '');
    flip(damaged);
    const status = await ralph(one, ['status']);
    expect(status.code).toBe(4);
    expect(status.stderr).toContain(damaged);
    expect(status.stderr).toContain('ralph doctor --fix');
    userCommits(one, { 'PRD.md': `${readFileSync(join(one.repo, 'PRD.md'), 'utf8')}- [ ] Make c <!-- id: c -->\n` });
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    const healed = stderr.split('\n').filter((line) => line.startsWith('healed: '));
    expect(healed).toEqual([expect.stringContaining(damaged)]);
    const aside = /kept in (\S+)/.exec(healed[0] ?? '')?.[1] ?? '';
    expect(existsSync(join(aside, 'log', records.at(-1) ?? ''))).toBe(true);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['a', 'b', 'c']);
    expect(
      starts(one)
        .map(({ task }) => task)
        .sort(),
    ).toEqual(['a', 'b', 'c']);
    expect((await ralph(one, ['status'])).code).toBe(0);
  });

  it('after kill -9 in the middle of a run: what was lost is taken up from git, nothing twice, nothing left out', async () => {
    const one = scratch();
    const [go, begun] = [beside(one, 'go'), beside(one, 'begun')];
    const half = `echo half > $RALPH_TASK_ID-half.txt; echo >> ${begun}; while ! test -e ${go}; do sleep 0.1; done`;
    const script = `case $RALPH_TASK_ID in t3|t4) ${half};; esac; ${OWN_FILE}; ${CLAIM}`;
    trainProject(one, { tasks: ['t1', 't2', 't3', 't4'], gate: watchedGate(one, 'test ! -e BROKEN'), script });
    const killed = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    await until('two half done, one landed', () => {
      const count = existsSync(begun) ? readFileSync(begun, 'utf8').length : 0;
      return count === 2 && landedTasks(one.git, INT).length > 0;
    });
    killed.signal('SIGKILL');
    await killed.ended;
    const log = join(one.repo, '.git/paralph/log');
    const records = readdirSync(log).filter((name) => /^\d+$/.test(name));
    // About here loops are claimed, and their worktrees not made yet.
    flip(join(log, records[Math.floor(records.length * 0.35)] ?? ''));
    writeFileSync(go, '');
    const { code, stderr } = await ralph(one, ['run', '--parallel', '--max-workers', '3']);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['t1', 't2', 't3', 't4']);
    for (const task of ['t3', 't4']) expect(one.git('show', `main:${task}-half.txt`)).toBe('half');
  });

  it('ends what a landed loop left running, and nothing that only carries its name', async () => {
    const one = await bothLanded();
    const runs = join(one.repo, '.git/paralph/runs');
    const loop = readdirSync(runs).find((name) => existsSync(join(runs, name, '1/token'))) ?? '';
    const token = readFileSync(join(runs, loop, '1/token'), 'utf8').trim();
    const sleeping = (mark: string): number => {
      const env = { ...one.env, RALPH_LOOP_ID: loop, RALPH_TOKEN: mark };
      const child = spawn('sleep', ['600'], { env, stdio: 'ignore', detached: true });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid ?? 0;
    };
    const [ours, anothers] = [sleeping(token), sleeping('another-clone')];
    const found = report((await ralph(one, ['doctor', '--json'])).stdout).findings;
    const remedies = found.filter(({ check }) => check === 'processes').map(({ remedy }) => remedy);
    expect(remedies.toSorted()).toEqual([`kill ${anothers}`, 'ralph doctor --fix']);
    const { fixed } = report((await ralph(one, ['doctor', '--fix', '--json'])).stdout);
    expect(fixed).toEqual([`ended process ${ours} of loop ${loop}`]);
    expect([isAlive(ours), isAlive(anothers)]).toEqual([false, true]);
  });
});
