import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { landedTasks } from '../harness/git.ts';
import { HONEST, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

const IDS = Array.from({ length: 12 }, (_, n) => `p-${String(n + 1).padStart(2, '0')}`);
const BROKEN = [{ exit: 3 }] as const;

interface Told {
  readonly kinds: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly items: readonly {
    readonly kind: string;
    readonly task: string | null;
    readonly state: string;
    readonly next: string;
  }[];
}

const notified = (one: Scratch): readonly Told[] =>
  existsSync(beside(one, 'told'))
    ? readFileSync(beside(one, 'told'), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Told]))
    : [];

describe('A18.7 notifications', () => {
  it('twelve that are parked within seconds are one, while the run goes on', async () => {
    const one = scratch();
    project(one, {
      tasks: ['long', ...IDS],
      agent: BROKEN,
      byTask: { long: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] },
      config: {
        limits: { consecutive_failures: 1 },
        notify: { command: `cat >> '${beside(one, 'told')}'` },
      },
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '8']);
    await until('the first notification', () => notified(one).length > 0);
    const [first] = notified(one);
    expect(first?.kinds).toEqual(['needs-you']);
    expect(first?.items.map(({ task }) => task).toSorted()).toEqual(IDS);
    expect(first?.title).toBe('12 need you');
    expect(first?.items[0]).toMatchObject({
      state: 'parked',
      next: expect.stringMatching(/^ralph loops resume p-/) as unknown,
    });
    one.put('../go', '');
    await run.ended;
    expect(notified(one).map(({ kinds }) => kinds)).toEqual([['needs-you'], ['finished']]);
    expect(notified(one)[1]?.title).toBe('the run is over: 1 landed, 12 need you');
  });

  it('a command that hangs is ended, and delays no landing', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'c'],
      byTask: { a: BROKEN },
      config: {
        limits: { consecutive_failures: 1 },
        notify: {
          command: `echo began >> '${beside(one, 'told')}'; sleep 1000`,
          on: ['needs-you', 'landed', 'finished'],
        },
      },
    });
    const { stderr, code } = await ralph(one, ['run', '--parallel', '--max-workers', '3']);
    expect(code).toBe(1);
    expect(landedTasks(one.git, 'main').toSorted()).toEqual(['b', 'c']);
    expect(stderr).toContain('warning: notify.command: it had not ended after 5 s');
    expect(readFileSync(beside(one, 'told'), 'utf8')).toBe('began\n');
  });

  it('tells only what was asked for', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      byTask: { a: BROKEN },
      config: {
        limits: { consecutive_failures: 1 },
        notify: { command: `cat >> '${beside(one, 'told')}'`, on: ['landed'] },
      },
    });
    await ralph(one, ['run', '--parallel']);
    expect(notified(one).map(({ kinds, title }) => [kinds, title.replace(/as \w+/, 'as X')])).toEqual([
      [['landed'], 'b landed as X'],
    ]);
  });

  itNeeds('tmux', hasTmux)('reaches the terminal through tmux, inert', async () => {
    const one = scratch();
    const evil = '\u001b]52;c;cm0=\u0007\u202egnp';
    project(one, {
      tasks: { 'prd.json': JSON.stringify({ stories: [{ id: 'a', title: evil }] }) },
      agent: [{ print: evil }, { exit: 3 }],
      config: { limits: { consecutive_failures: 1 } },
    });
    const terminal = openTerminal(one, ['run'], { isInTmux: true });
    terminal.ask('pipe-pane', '-t', 't:0', `cat > '${beside(one, 'bytes')}'`);
    expect(await terminal.ended()).toBe(1);
    const bytes = readFileSync(beside(one, 'bytes'), 'utf8');
    // oxlint-disable-next-line no-control-regex
    const note = /\u001bPtmux;\u001b\u001b\]9;ralph: [^\u001b\u0007]*1 needs you[^\u001b\u0007]*\u0007\u001b\\/;
    expect(bytes).toMatch(note);
    expect(bytes).not.toContain(']52;');
  });
});
