import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { PROJECT } from '../harness/bundle.ts';
import { parseEvents } from '../harness/events.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const ESC = '\u001B';

describe('output', () => {
  it('--version is the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
    const { code, stdout, stderr } = await ralph(scratch(), ['--version']);
    expect([code, stdout.trim(), stderr]).toEqual([0, version, '']);
  });

  it('--help names every command, on stdout', async () => {
    const { code, stdout } = await ralph(scratch(), ['--help']);
    expect(code).toBe(0);
    for (const command of ['init', 'run', 'status', 'parallel', 'tasks', 'land', 'doctor', 'config', 'demo']) {
      expect(stdout).toMatch(new RegExp(`\\b${command}\\b`));
    }
  });

  it('usage: a wrong word or flag exits 2 and is told on stderr', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    for (const args of [['flurb'], ['run', '--flurb'], ['tasks', 'flurb'], ['land', '--all', 'x', '--flurb']]) {
      const { code, stdout, stderr } = await ralph(one, args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain('flurb');
    }
  });

  it('S0.11 the summary counts landed, ready and parked, with reason and next command, on stderr, plain in a pipe', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'c'],
      byTask: { b: [{ exit: 3 }] },
      config: { limits: { consecutive_failures: 1 } },
    });
    const { code, stdout, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code).toBe(1);
    expect(stdout).not.toContain('parked');
    expect(stderr).toMatch(/2\s+landed|landed:?\s*2/i);
    expect(stderr).toMatch(/1\s+parked|parked:?\s*1/i);
    expect(stderr).toMatch(/\bb\b[^]*ralph (tasks|status|land|parallel|loops|run)/);
    expect(stdout + stderr).not.toContain(ESC);
  });

  it('a run whose output finds no room or no reader goes on to its end', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'], config: { parallel: { merge_policy: 'auto_merge' } } });
    const full = await ralph(one, ['run', '--parallel', '--events'], {
      prefix: ['sh', '-c', 'exec "$@" >/dev/full 2>/dev/full', 'sh'],
    });
    expect(full.code).toBe(0);
    expect(one.git('ls-tree', '--name-only', 'main')).toMatch(/^a\.txt\nb\.txt$/m);
    const unread = await ralph(one, ['status', '--json'], { prefix: ['sh', '-c', '"$@" | true', 'sh'] });
    expect([unread.code, unread.stderr]).toEqual([0, '']);
  });

  it('--events: one JSON object per line, rising seq, and nothing else on stdout; with NO_COLOR no escape codes', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'] });
    const env = { NO_COLOR: '1', FORCE_COLOR: undefined, TERM: 'xterm-256color' };
    const { code, stdout, stderr } = await ralph(one, ['run', '--parallel', '--events'], { env });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(ESC);
    const events = parseEvents(stdout);
    for (const event of events)
      expect(event).toMatchObject({ seq: expect.any(Number), type: expect.any(String), at: expect.anything() });
    const seqs = events.map((event) => event.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const types = events.map((event) => event.type);
    for (const type of [
      'tasks-read',
      'task-claimed',
      'worktree-made',
      'iteration-ended',
      'gates-ended',
      'loop-landed',
      'published',
    ]) {
      expect(types).toContain(type);
    }
  });

  it('an error has a code and a remedy, and no stack', async () => {
    const one = scratch({ hasRepository: false });
    const { stderr } = await ralph(one, ['run']);
    expect(stderr).toMatch(/E_NO_REPOSITORY/);
    expect(stderr).toContain('git init');
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
