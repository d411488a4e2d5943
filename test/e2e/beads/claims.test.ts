import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, onTestFinished } from 'vitest';

import { beadsBin } from '../../../scripts/lib/beads.mjs';
import { itAllowed } from '../../needs.ts';
import { beadsProject, itWithBd, phasesIn, spiedBd } from '../harness/beads.ts';
import type { BeadsProject } from '../harness/beads.ts';
import { landedTasks } from '../harness/git.ts';
import { HONEST, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
const LEASE_MS = 5 * 60_000;
const isSlow = process.env['SLOW'] === 'true' && beadsBin('1.3.0') !== null;

const tasksStarted = ({ place }: BeadsProject): readonly string[] => starts(place).map(({ task }) => task);
const landed = ({ place }: BeadsProject): readonly string[] => landedTasks(place.git, 'main');

interface AtWork {
  readonly one: BeadsProject;
  readonly host: Running;
  /** Lets the agent of `t-a` go on. */
  readonly go: () => void;
}

/** A loop at work on `t-a`, of which Beads knows. */
async function atWork(): Promise<AtWork> {
  const one = beadsProject('1.3.0', [{ id: 't-a', priority: 1 }, { id: 't-b' }], (place) => ({
    byTask: { 't-a': [{ waitForFile: { path: beside(place, 'go'), timeoutMs: 3 * LEASE_MS } }, ...HONEST] },
    config: { limits: { runtime: '1h' } },
  }));
  const host = startRalph(one.place, RUN);
  await until('the agent works', () => tasksStarted(one).includes('t-a'));
  await until('Beads knows', () => phasesIn(one.show('t-a')).join() === 'phase:working');
  return { one, host, go: () => writeFileSync(beside(one.place, 'go'), '') };
}

/** What a person does by hand who has the task by now. */
function landByHand({ place, bd }: BeadsProject): void {
  place.put('by-ann.txt', 'hers\n');
  place.git('add', 'by-ann.txt');
  place.git('commit', '-q', '-m', 'Make t-a by hand');
  bd('close', 't-a', '-r', 'ann did it', '--actor', 'ann');
}

async function robbed({ one, host, go }: AtWork): Promise<void> {
  await host.waitFor(/ann has it in Beads/);
  go();
  landByHand(one);
  const { stdout, stderr } = await host.ended;
  expect(landed(one), stdout + stderr).toEqual(['t-b']);
  expect(one.place.git('log', '--format=%s', 'main')).toContain('Make t-a by hand');
  expect(one.place.git('ls-tree', '--name-only', 'main')).not.toContain('t-a.txt');
  expect(one.show('t-a')).toMatchObject({ status: 'closed', assignee: 'ann', close_reason: 'ann did it' });
}

describe('A4, 42: a claim that is taken behind the loop', () => {
  itWithBd('1.3.0')('stops it, nothing of it lands, and what the new owner made does', async () => {
    const work = await atWork();
    work.one.bd('unclaim', 't-a', '--force', '--actor', 'boss');
    work.one.bd('update', 't-a', '--claim', '--actor', 'ann');
    await robbed(work);
  });

  itAllowed('SLOW=true and bd 1.3.0', isSlow)(
    'so does one whose lease ran out while its host was suspended, after bd reclaim',
    async () => {
      const work = await atWork();
      work.host.signal('SIGSTOP');
      await sleep(LEASE_MS + 20_000);
      work.one.bd('reclaim', '--older-than', '0s', '--actor', 'boss');
      work.one.bd('update', 't-a', '--claim', '--actor', 'ann');
      work.host.signal('SIGCONT');
      await robbed(work);
    },
    2 * LEASE_MS,
  );

  itWithBd('1.3.0')('one whose phase label a person takes off is begun anew, and lands once', async () => {
    const { one, host, go } = await atWork();
    one.bd('update', 't-a', '--remove-label', 'phase:working');
    await until('a second loop is at work on it', () => tasksStarted(one).filter((task) => task === 't-a').length > 1);
    go();
    const { stdout, stderr } = await host.ended;
    expect([...landed(one)].sort(), stdout + stderr).toEqual(['t-a', 't-b']);
    expect(stdout + stderr).toMatch(/its phase label was taken off in Beads/);
    expect(one.show('t-a')).toMatchObject({ status: 'closed', labels: ['phase:merged'] });
  });

  itWithBd('1.3.0')('a bead that a person closes ends its loop', async () => {
    const { one, host, go } = await atWork();
    one.bd('close', 't-a', '-r', 'not wanted', '--force');
    await host.waitFor(/it was closed in Beads/);
    go();
    const { stdout, stderr } = await host.ended;
    expect(landed(one), stdout + stderr).toEqual(['t-b']);
    expect(one.show('t-a').close_reason).toBe('not wanted');
  });
});

describe('claims and other processes', () => {
  itWithBd('1.3.0')('38. a claim that is lost starts no agent, and the next task is taken', async () => {
    const one = beadsProject('1.3.0', [{ id: 't-a', priority: 1 }, { id: 't-b' }]);
    const taken = beside(one.place, 'taken');
    const spy = spiedBd(
      one,
      `case "$*" in *t-a*--claim*) test -e '${taken}' || { touch '${taken}'; "$real" update t-a --claim --actor ann --json >/dev/null; };; esac`,
    );
    const { stdout, stderr } = await ralph(one.place, RUN, { env: spy.env });
    expect(existsSync(taken)).toBe(true);
    expect(tasksStarted(one), stdout + stderr).toEqual(['t-b']);
    expect(landed(one)).toEqual(['t-b']);
    expect(one.show('t-a')).toMatchObject({ status: 'in_progress', assignee: 'ann' });
  });

  itWithBd('0.47.1')('A3: with a bd that can tell two that they won, nothing lands twice or for another', async () => {
    const ids = ['t-1', 't-2', 't-3', 't-4', 't-5', 't-6'];
    const one = beadsProject(
      '0.47.1',
      ids.map((id) => ({ id })),
    );
    let isOver = false;
    const rival = (async () => {
      for (let at = 0; !isOver; at += 1) {
        const id = ids[(at * 5) % ids.length] ?? '';
        const args = ['update', id, '--claim', '--actor', 'rival/x', '--json'];
        await new Promise((resolve) => {
          spawn('bd', args, { cwd: one.place.repo, env: one.place.env, stdio: 'ignore' }).on('close', resolve);
        });
        await sleep(Math.random() * 400);
      }
    })();
    const { stdout, stderr } = await ralph(one.place, ['run', '--parallel', '--max-workers', '3']);
    isOver = true;
    await rival;
    const done = landed(one);
    expect(new Set(done).size, stdout + stderr).toBe(done.length);
    for (const shown of one.all()) {
      if (done.includes(shown.id))
        expect(shown).toMatchObject({ status: 'closed', assignee: expect.stringMatching(/^r-/) });
      else expect(shown, stdout + stderr).toMatchObject({ assignee: 'rival/x', status: 'in_progress' });
    }
  });

  itWithBd('1.3.0')(
    '24, 25, D3.2: what a dead orchestrator left is taken up; a living worker keeps its own',
    async () => {
      const left = { status: 'in_progress', labels: ['phase:working'] };
      const one = beadsProject('1.3.0', [
        { id: 't-dead', ...left },
        { id: 't-reused', ...left },
        { id: 't-lives', ...left },
        { id: 't-gone', ...left, assignee: 'r-0/t-gone-1' },
        { id: 't-ann', ...left, assignee: 'ann' },
        { id: 't-new' },
      ]);
      const folder = join(one.place.root, 'worktrees/t-lives');
      const living = (cwd: string): number => {
        const child = spawn('sleep', ['600'], { cwd, stdio: 'ignore' });
        onTestFinished(() => void child.kill('SIGKILL'));
        return child.pid ?? 0;
      };
      one.place.git('worktree', 'add', '-q', folder, '-b', 'agent/t-lives');
      const reused = living(one.place.home);
      const state = {
        't-dead': { pid: '4194303', worktree: '../worktrees/t-dead', pr_number: '' },
        't-reused': { pid: String(reused), worktree: '../worktrees/t-reused', pr_number: '' },
        't-lives': { pid: String(living(folder)), worktree: '../worktrees/t-lives', pr_number: '' },
      };
      one.place.put('.beads/orchestrator/state.json', JSON.stringify(state));
      const { stdout, stderr } = await ralph(one.place, ['orchestrate', '--max-agents', '2'], {
        isCheckoutGuarded: false,
      });
      expect([...landed(one)].sort(), stdout + stderr).toEqual(['t-dead', 't-gone', 't-new', 't-reused']);
      expect(stdout + stderr).toMatch(/t-lives: a process of another orchestrator works on it/);
      expect(stdout + stderr).toMatch(/t-ann: ann works on it/);
      expect(one.show('t-lives')).toMatchObject({ status: 'in_progress', labels: ['phase:working'] });
      expect(one.show('t-ann')).toMatchObject({ status: 'in_progress', assignee: 'ann' });
      expect(() => process.kill(reused, 0)).not.toThrow();
    },
  );
});
