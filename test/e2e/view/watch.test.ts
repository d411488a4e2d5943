import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import { itNeeds } from '../../needs.ts';
import { landedTasks } from '../harness/git.ts';
import { processesOf } from '../harness/processes.ts';
import { project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const STUCK = { limits: { iterations: 1 } };

describe('ralph watch', () => {
  it('shows one picture of what is planned, at work and over, wherever one stands', async () => {
    const at = scratch();
    project(at, { tasks: ['one', 'two'], config: STUCK, byTask: { two: [{ print: 'nothing comes to my mind' }] } });
    const planned = await ralph(at, ['watch', '--once']);
    expect(planned.stdout).toMatch(/0 landed {2}0 at work {2}2 wait {2}0 need you/);
    expect(planned.stdout).toMatch(/WAITING 2 .*\n {4}one +no run is under way\n/);
    await ralph(at, ['run', '--parallel']);
    const over = await ralph(at, ['watch', '--once'], { cwd: at.repo });
    expect(over.stdout).toMatch(/NEEDS YOU 1 .*\n {2}! two +\w+/);
    expect(over.stdout).toMatch(/LANDED 1 {2}last: one \w+ ago\n {4}one +as [0-9a-f]{7}/);
    expect(CONTROL.test(over.stdout)).toBe(false);
  });

  it('A6: with --plain it says it in sentences, and in no byte steers a terminal', async () => {
    const at = scratch();
    project(at, { tasks: ['one'] });
    const watching = startRalph(at, ['watch', '--plain']);
    await watching.waitFor(/main: 0 landed, 0 are at work, 1 waits, 0 need you\.\none: no run is under way\./);
    await ralph(at, ['run', '--parallel']);
    await watching.waitFor(/\d\d:\d\d:\d\d one starts in slot 1/);
    await watching.waitFor(/\d\d:\d\d:\d\d one landed as [0-9a-f]{10}/);
    watching.signal('SIGTERM');
    const { stdout, code } = await watching.ended;
    expect(code).toBe(0);
    expect(CONTROL.test(stdout)).toBe(false);
  });

  itNeeds('tmux', hasTmux)('is drawn on a terminal, and gives it back when one leaves', async () => {
    const at = scratch();
    project(at, { tasks: ['one', 'two'] });
    const terminal = openTerminal(at, ['watch']);
    await terminal.waitFor(/WAITING 2/);
    expect(terminal.screen()).toMatch(/ \? keys {2}q leave/);
    await ralph(at, ['run', '--parallel']);
    await terminal.waitFor(/2 landed {2}0 at work/);
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).not.toMatch(/LANDED/);
  });
});

describe('what a key begins', () => {
  itNeeds('tmux', hasTmux)('goes on when the view is left, and when its terminal is closed', async () => {
    const at = scratch();
    const go = beside(at, 'go');
    const made = [{ waitForFile: { path: go } }, { write: { path: 'a', text: 'a' } }, { claim: true as const }];
    const agent = { iterations: [[{ print: 'nothing comes to my mind' }], made] };
    project(at, { tasks: ['one'], config: STUCK, agent });
    await ralph(at, ['run', '--parallel']);
    const terminal = openTerminal(at, ['watch']);
    await terminal.waitFor(/one is parked \(iterations\); next: ralph loops resume one-/);
    terminal.type('r');
    await terminal.waitFor(/1 at work/);
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
    terminal.ask('kill-server');
    const resumes = () => processesOf(at.root).filter(({ command }) => command.includes('resume'));
    expect(resumes()).not.toEqual([]);
    writeFileSync(go, '');
    await until('it is on main', () => landedTasks(at.git, 'main').includes('one'));
    await until('who resumed it has ended', () => resumes().length === 0);
  });
});

describe('A10: a review by keys', () => {
  itNeeds('tmux', hasTmux)(
    'reads the diff, comments on a line and a range, sends it back, and approves what came of it',
    async () => {
      const at = scratch();
      const seen = beside(at, 'prompt');
      project(at, {
        tasks: ['page'],
        config: { parallel: { merge_policy: 'manual' }, limits: { iterations: 6 } },
        agent: {
          iterations: [
            [{ write: { path: 'page.txt', text: 'one\ntwo\nthree\n' } }, { claim: true }],
            [{ prompt: { path: seen } }, { write: { path: 'page.txt', text: 'one\n2\nthree\n' } }, { claim: true }],
          ],
        },
      });
      await ralph(at, ['run', '--parallel']);
      const terminal = openTerminal(at, ['watch']);
      await terminal.waitFor(/NEEDS YOU 1/);
      terminal.key('Enter');
      await terminal.waitFor(/1 file \+3 -0 at [0-9a-f]{10}/);
      terminal.type('/one');
      terminal.key('Enter');
      await terminal.waitFor(/> +1 \+ one/);
      terminal.type('c');
      await terminal.waitFor(/comment:/);
      terminal.type('say it in words');
      terminal.key('Enter');
      await terminal.waitFor(/1 to send/);
      terminal.type('jvjcuse digits');
      terminal.key('Enter');
      await terminal.waitFor(/2 to send/);
      terminal.type('S');
      await terminal.waitFor(/to continue: ralph loops resume/);
      await ralph(at, ['run', '--parallel']);
      const prompt = readFileSync(seen, 'utf8');
      expect(prompt).toContain('say it in words');
      expect(prompt).toMatch(/page\.txt/);
      expect(prompt).toMatch(/two\n.*three/);
      await terminal.waitFor(/it has moved on since/);
      terminal.key('Tab');
      await terminal.waitFor(/since [0-9a-f]{10}/);
      await terminal.waitFor(/ - two\n.* \+ 2\n/);
      terminal.type('a');
      await until('it is on main', () => landedTasks(at.git, 'main').includes('page'));
      // The command says last that it is over.
      await terminal.waitFor(/main holds everything that landed/);
      expect(at.git('show', 'main:page.txt')).toBe('one\n2\nthree');
      terminal.type('qq');
      expect(await terminal.ended()).toBe(0);
    },
  );
});
