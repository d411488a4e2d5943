import { describe, expect, it } from 'vitest';
import { itNeeds } from '../../needs.ts';
import { project } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';

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
    expect(over.stdout).toMatch(/NEEDS YOU 1\n {2}! two +\w+/);
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
