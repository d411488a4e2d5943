import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { hasChromium, openInChromium } from '../harness/chromium.ts';
import type { Seen } from '../harness/chromium.ts';
import { HONEST, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Step } from '../../scripted/scenario.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];
// oxlint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069]/;

/** Two land, one never turns green. */
function night(config = {}): Scratch {
  const one = scratch();
  project(one, {
    tasks: ['alpha', 'beta', 'gamma'],
    byTask: { gamma: [{ write: { path: 'BROKEN', text: '' } }, { claim: true }] },
    config: { limits: { iterations: 2 }, gates: { commands: ['echo so it broke; test ! -e BROKEN'] }, ...config },
  });
  return one;
}

describe('ralph report', () => {
  it('tells what landed, what needs a person with the command, and what it took', async () => {
    const one = night();
    expect((await ralph(one, RUN)).code).toBe(1);
    const { stdout, code } = await ralph(one, ['report']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('2 landed, 1 needs you');
    expect(stdout).toMatch(/gamma parked \(iterations\)/);
    expect(stdout).toContain('| so it broke');
    expect(stdout).toMatch(/next: ralph \w+/);
    expect(stdout).toMatch(/alpha [0-9a-f]{10} \d files? \+\d+ -\d+: /);
    const json = JSON.parse((await ralph(one, ['report', '--json'])).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ version: 1, verdict: '2 landed, 1 needs you', is_bad: false, runs: [1] });
    const markdown = (await ralph(one, ['report', '--md'])).stdout;
    expect(markdown).toMatch(/^# 2 landed, 1 needs you\n/);
    expect(markdown).toContain('## Needs you');
  });

  it('says of a bad night that it was one, and compares it with the run before', async () => {
    const one = night();
    await ralph(one, RUN);
    await ralph(one, ['tasks', 'reset', 'gamma']);
    await ralph(one, RUN);
    const { stdout } = await ralph(one, ['report']);
    expect(stdout.split('\n')[0]).toBe('nothing landed, 1 needs you');
    expect(stdout).toContain('Run 2 of 2');
    expect(stdout).toMatch(/landed: 0 \(run before: 2\)/);
    expect((await ralph(one, ['report', '--run', '1'])).stdout).toMatch(/^2 landed/);
    expect((await ralph(one, ['report', '--run', 'all'])).stdout).toMatch(/^2 landed[^]*Runs 1 to 2 of 2/);
    const none = await ralph(one, ['report', '--run', '9']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there is no run 9 here');
    expect((await ralph(one, ['report', '--run', 'x'])).code).toBe(2);
  });

  it('refuses where nothing has run', async () => {
    const one = night();
    const { code, stderr } = await ralph(one, ['report']);
    expect(code).toBe(2);
    expect(stderr).toContain('nothing has run here yet');
    expect((await ralph(one, ['report', '--md', '--html', 'x.html'])).stderr).toContain('--html, --md and --json');
  });

  it('writes one page that holds nothing but text, and writes it when a run ends where that is set', async () => {
    const one = night({ report: { on_finish: 'reports/last.html' } });
    await ralph(one, RUN);
    const page = readFileSync(join(one.repo, '.ralph', 'reports', 'last.html'), 'utf8');
    expect(page).toMatch(/<h1>2 landed, 1 needs you<\/h1>/);
    expect(page).not.toMatch(/<script|https?:|<img|\son\w+=/i);
    expect((await ralph(one, ['report', '--html', 'here.html'])).code).toBe(0);
    expect(existsSync(join(one.repo, 'here.html'))).toBe(true);
    expect(one.git('status', '--porcelain')).toBe('?? here.html');
  });

  it('A18.5 hostile text is inert in every form of it', async () => {
    const one = scratch();
    const evil = `Nice</title><script>alert(1)</script>\u001B]52;c;cm0=\u0007\u202Egnp.exe\u200B[x](javascript:1) ${'y'.repeat(1_000_000)}`;
    project(one, {
      tasks: {
        'prd.json': JSON.stringify({
          stories: [
            { id: 'evil', title: evil },
            { id: 'b"><script>', title: 'b' },
          ],
        }),
      },
      agent: [{ print: evil }, { write: { path: 'BROKEN', text: '' } }, { claim: true }],
      config: {
        limits: { iterations: 1 },
        gates: { commands: [`printf '\\033]0;x\\007<script>\\n'; test ! -e BROKEN`] },
      },
    });
    await ralph(one, RUN);
    for (const args of [['report'], ['report', '--md'], ['report', '--html', 'x.html'], ['events']]) {
      const { stdout, stderr } = await ralph(one, args);
      expect(stdout + stderr).not.toMatch(RAW);
    }
    const page = readFileSync(join(one.repo, 'x.html'), 'utf8');
    expect(page).not.toMatch(RAW);
    expect(page).not.toContain('<script');
    expect(page.length).toBeLessThan(100_000);
  });
});

describe('ralph events', () => {
  it('prints the log, from a number or a time on, and follows it', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] });
    const run = startRalph(one, ['run']);
    await until('the first record', async () => (await ralph(one, ['events'])).stdout.includes('task-claimed') || null);
    const follow = startRalph(one, ['events', '-f']);
    await follow.waitFor(/task-claimed/);
    one.put('../go', '');
    await run.ended;
    await follow.waitFor(/"host-left"/);
    follow.signal('SIGINT');
    expect((await follow.ended).code).toBe(0);
    const lines = (text: string) =>
      text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
    const all = lines((await ralph(one, ['events'])).stdout);
    expect(lines(follow.output().stdout)).toEqual(all);
    expect(all[0]).toMatchObject({ seq: 1, at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as unknown });
    const since = Number(all[5]?.['seq']);
    const later = lines((await ralph(one, ['events', '--since', String(since)])).stdout);
    expect(later).toEqual(all.filter(({ seq }) => Number(seq) > since));
    expect(lines((await ralph(one, ['events', '--since', '1h'])).stdout)).toEqual(all);
    expect((await ralph(one, ['events', '--since', '2999-01-01'])).stdout).toBe('');
    expect((await ralph(one, ['events', '--since', 'soon'])).code).toBe(2);
  });
});

describe('A18.8 the page in a browser', () => {
  const inBrowser = itNeeds('chromium', hasChromium);

  async function seen(one: Scratch, file: string, name: string): Promise<readonly Seen[]> {
    const shots = process.env['SHOTS'];
    const all: Seen[] = [];
    for (const width of [1000, 390])
      for (const scheme of ['light', 'dark'] as const) {
        const page = await openInChromium(one, join(one.repo, file), { width, scheme });
        if (shots !== undefined) writeFileSync(join(shots, `${name}-${width}-${scheme}.png`), page.png);
        all.push(page);
      }
    return all;
  }

  inBrowser(
    'of a run of thirty with red, conflict and limit: no request, no message, no scroll bar, wide or narrow',
    async () => {
      const one = scratch();
      const ids = Array.from({ length: 27 }, (_, n) => `task-${String(n + 1).padStart(2, '0')}`);
      const clash = (text: string): readonly Step[] => [{ write: { path: 'same.txt', text } }, { claim: true }];
      project(one, {
        tasks: [...ids, 'red-one', 'meets-1', 'meets-2'],
        byTask: {
          'red-one': [{ write: { path: 'BROKEN', text: '' } }, { claim: true }],
          'meets-1': clash('one\n'),
          'meets-2': clash('two\n'),
        },
        config: {
          limits: { iterations: 2 },
          gates: { commands: ['echo "src/app.test.ts:4: expected 401, got 200"; test ! -e BROKEN'] },
          'parallel.conflict_resolution': { strategy: 'stop' },
        },
      });
      await ralph(one, ['run', '--parallel', '--max-workers', '4']);
      expect((await ralph(one, ['report', '--html', 'r.html'])).code).toBe(0);
      const pages = await seen(one, 'r.html', 'night');
      for (const page of pages) {
        expect(page.requests).toEqual([]);
        expect(page.messages).toEqual([]);
        expect(page.isTooWide).toBe(false);
        expect(page.text.split('\n')[0]).toBe('28 landed, 2 need you');
        expect(page.text).toMatch(/red-one[^]*expected 401, got 200[^]*next: ralph/);
        expect(page.text).toMatch(/(meets-1|meets-2) parked: conflict/);
        expect(page.text).toContain('Limits met');
      }
    },
  );

  inBrowser('of a night in which nothing landed: its first line says so', async () => {
    const one = night();
    await ralph(one, ['run', '--task', 'gamma']);
    await ralph(one, ['report', '--html', 'r.html']);
    for (const page of await seen(one, 'r.html', 'bad')) {
      expect(page.text.split('\n')[0]).toBe('nothing landed, 1 needs you');
      expect([page.requests, page.messages, page.isTooWide]).toEqual([[], [], false]);
    }
  });
});

describe('the summary of a run', () => {
  it('tells what it took, what one train saved, and the commands that come next', async () => {
    const one = night({ parallel: { merge_policy: 'manual' } });
    const { stderr, stdout } = await ralph(one, [...RUN, '--json']);
    expect(stderr).toMatch(/2 ready, 1 parked\n {2}[\d.ms]+, \d iterations\n/);
    expect(stderr).toContain('land what is ready: ralph land --all   look first: ralph review');
    expect(stderr).toContain('full report: ralph report');
    expect(JSON.parse(stdout)).toMatchObject({ run: { n: 1, gate_runs: 0, gate_runs_saved: 0, cost_usd: null } });
  });
});
