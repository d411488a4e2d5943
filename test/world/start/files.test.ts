import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/core/model/errors.ts';
import { identityOf } from '../../../src/world/processes/identity.ts';
import { copyToClipboard } from '../../../src/world/start/run-tool.ts';
import { writeLaunchScript, writeStartPrompt } from '../../../src/world/start/launch-files.ts';
import { findRalphLoop, keepAside } from '../../../src/world/start/who-loops.ts';
import { stopHolder } from '../../../src/world/start/stop-holder.ts';
import { until } from '../../e2e/harness/until.ts';
import { gitIn, scratchRepo as makeRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const ODD = `a b'c"d$(touch canary)\`touch canary\`;touch canary\n#{x}\\ä-`;

function scratchRepo(): ScratchRepo {
  const repo = makeRepo();
  onTestFinished(() => repo.remove());
  return repo;
}

function program(folder: string, name: string, body: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('a launch script', () => {
  it('scenario 22: starts its program in the worktree from anywhere, with every word and variable as it was', () => {
    const { dir } = scratchRepo();
    const tree = join(dir, '..', ODD.replaceAll('\n', ''));
    gitIn(dir, 'worktree', 'add', '-q', '-b', 'odd', tree);
    const agent = program(join(dir, ODD), 'ag ent', `pwd > out; printf '%s\\0' "$RALPH_X" "$@" >> out`);
    const script = writeLaunchScript(tree, '../my agent', {
      what: ODD,
      argv: [agent, ODD, ''],
      otherwise: null,
      env: { RALPH_X: ODD },
      unset: [],
    });
    expect(script).toBe(join(tree, 'start-..-my-agent.sh'));
    expect(lstatSync(script).mode & 0o777).toBe(0o755);
    const wanted = `${tree}\n${[ODD, ODD, '', 'more'].map((word) => `${word}\0`).join('')}`;
    const env = { PATH: process.env['PATH'] ?? '', CDPATH: dir };
    const link = join(dir, 'start-..-my-agent.sh');
    symlinkSync(script, link);
    for (const [argv, cwd] of [
      [[script, 'more'], '/'],
      [['./start-..-my-agent.sh', 'more'], tree],
      [['sh', 'start-..-my-agent.sh', 'more'], tree],
      // By a link that somebody put where they have their programs.
      [[link, 'more'], '/'],
    ] as const) {
      writeFileSync(join(tree, 'out'), '');
      const { status, stderr } = spawnSync(argv[0], argv.slice(1), { cwd, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(readFileSync(join(tree, 'out'), 'utf8')).toBe(wanted);
    }
    expect(gitIn(tree, 'status', '--porcelain').trim()).toMatch(/^\?\? \S*out$/);
    for (const folder of [dir, tree, '/', process.cwd()]) expect(existsSync(join(folder, 'canary'))).toBe(false);
  });

  it('looks for its program again, is replaced whole, and is never written through a link', () => {
    const { dir } = scratchRepo();
    const bin = join(dir, 'bin');
    program(bin, 'agent', 'echo found');
    const outside = join(dir, 'outside');
    writeFileSync(outside, 'mine');
    mkdirSync(join(dir, '.ralph'));
    symlinkSync(outside, join(dir, '.ralph', 'start-x.sh'));
    symlinkSync(outside, join(dir, 'start-x.sh'));
    const launch = { what: '', argv: ['/gone/agent'], otherwise: 'agent', env: {}, unset: [] };
    const script = writeLaunchScript(dir, 'x', launch);
    expect(script).toBe(join(dir, '.ralph', 'start-x.sh'));
    expect([lstatSync(script).isFile(), readFileSync(outside, 'utf8')]).toEqual([true, 'mine']);
    expect(spawnSync(script, { env: { PATH: `${bin}:/usr/bin:/bin` }, encoding: 'utf8' }).stdout).toBe('found\n');
    const big = `---\n${ODD.repeat(5000)}\n`;
    expect(readFileSync(writeStartPrompt(dir, big), 'utf8')).toBe(big);

    const other = scratchRepo().dir;
    symlinkSync(dir, join(other, '.ralph'));
    writeFileSync(join(other, 'start-y.sh'), 'theirs');
    expect(() => writeLaunchScript(other, 'y', launch)).toThrow(AppError);
    expect(existsSync(join(dir, 'start-y.sh'))).toBe(false);
    const exclude = join(other, '.git/info/exclude');
    for (let time = 0; time < 2; time += 1)
      expect(writeLaunchScript(other, 'z', launch)).toBe(join(other, 'start-z.sh'));
    expect(readFileSync(exclude, 'utf8').match(/^\/start-z\.sh$/gm)).toHaveLength(1);
    expect(readFileSync(join(other, 'start-y.sh'), 'utf8')).toBe('theirs');
  });
});

describe('the clipboard', () => {
  const scene = () => {
    const { dir } = scratchRepo();
    const bin = join(dir, 'bin');
    const log = join(dir, 'log');
    const written: string[] = [];
    const copy = (env: Record<string, string>, hasTerminal = true) =>
      copyToClipboard(`${ODD}\n`, {
        env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
        cwd: dir,
        terminal: hasTerminal ? { write: (text: string) => written.push(text) } : null,
      });
    const records = (name: string) => program(bin, name, `{ printf '%s\\0' "$@"; cat; } > '${log}'`);
    return { bin, copy, records, written, log: () => readFileSync(log, 'utf8') };
  };

  it('is reached by the first tool that works', async () => {
    const { bin, copy, records, log } = scene();
    records('xclip');
    // Without a word where the screen is, too, if nothing likelier works.
    expect(await copy({})).toBe('xclip');
    records('wl-copy');
    expect(await copy({ DISPLAY: ':0' })).toBe('xclip');
    expect(log()).toBe(`-selection\0clipboard\0${ODD}\n`);
    expect(await copy({ DISPLAY: ':0', WAYLAND_DISPLAY: 'w' })).toBe('wl-copy');
    program(bin, 'wl-copy', 'exit 1');
    program(bin, 'xclip', 'exec sleep 60');
    records('xsel');
    // One fails, one hangs, the third has it.
    expect(await copy({ DISPLAY: ':0', WAYLAND_DISPLAY: 'w' })).toBe('xsel');
    expect(log()).toBe(`--clipboard\0--input\0${ODD}\n`);
    records('pbcopy');
    expect(await copy({})).toBe('pbcopy');
  });

  it('else the terminal is asked, else nobody; Windows gets what it can read', async () => {
    const { copy, records, written, log } = scene();
    expect(await copy({ DISPLAY: '' })).toBe('terminal');
    expect(written).toEqual([`\u001b]52;c;${Buffer.from(`${ODD}\n`).toString('base64')}\u0007`]);
    expect(await copy({ TERM: 'dumb' })).toBeNull();
    expect(await copy({}, false)).toBeNull();
    records('clip.exe');
    expect(await copy({})).toBe('clip.exe');
    expect(log()).not.toContain('a b');
  });
});

describe('somebody else’s loop', () => {
  const STATE = `---\nactive: true\niteration: 2\n---\n\n${ODD}\n`;

  it('is found in a folder, told when it is broken, and moved aside without a loss', () => {
    const { dir } = scratchRepo();
    expect(findRalphLoop([dir])).toBeNull();
    mkdirSync(join(dir, '.claude'));
    const file = join(dir, '.claude/ralph-loop.local.md');
    const now = new Date('2026-01-02T03:04:05.678Z');
    for (const [n, text] of [STATE, 'broken'].entries()) {
      writeFileSync(file, text);
      const found = findRalphLoop([join(dir, 'none'), dir]);
      expect(n === 0 ? found?.state?.prompt : found?.problem).toBe(
        n === 0 ? ODD : `${file}:1 there is no front matter between two lines of ---`,
      );
      const kept = keepAside(file, now);
      expect(kept).toBe(`${file}.kept-20260102T030405Z${n === 0 ? '' : '-2'}`);
      expect([existsSync(file), readFileSync(kept, 'utf8')]).toEqual([false, text]);
    }
    writeFileSync(file, Buffer.from([0xff, 0xff]));
    expect(findRalphLoop([dir])?.problem).toContain('is not UTF-8');
    expect(existsSync(file)).toBe(true);
  });

  it('is stopped only when it is the one that is meant', async () => {
    const { dir } = scratchRepo();
    const [said, may] = [join(dir, 'said'), join(dir, 'may')];
    const body = `const fs = require('fs'), [said, may] = process.argv.slice(1); process.on('SIGTERM', () => {
      fs.appendFileSync(said, 'asked ');
      if (fs.existsSync(may)) process.exit();
    }); fs.writeFileSync(said, ''); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['-e', body, said, may], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await until('it listens', () => existsSync(said));
    const identity = identityOf(child.pid ?? 0);
    if (identity === null) throw new Error('it has not started');
    await stopHolder({ ...identity, startTime: '1' }, 1000);
    await expect(stopHolder(identity, 0)).rejects.toThrow('still ends');
    await until('it was asked', () => readFileSync(said, 'utf8') !== '');
    writeFileSync(may, '');
    await stopHolder(identity, 10_000);
    expect([identityOf(identity.pid), readFileSync(said, 'utf8')]).toEqual([null, 'asked asked ']);
  });
});
