import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRepository } from '../../src/world/git/repository.ts';
import { openMemories } from '../../src/world/memories.ts';
import type { Memories, Memory } from '../../src/world/memories.ts';
import { bundleChild } from './bundled-child.ts';
import { scratchRepo } from './scratch.ts';
import type { ScratchRepo } from './scratch.ts';

const WRITER = `
import { findRepository } from 'src/world/git/repository.ts';
import { openMemories } from 'src/world/memories.ts';
const [dir = '', name = '', count = ''] = process.argv.slice(2);
const memories = openMemories(findRepository(dir));
for (let at = 0; at < Number(count); at += 1) {
  const text = name + ' ' + at + ' ' + 'x'.repeat((at * 37) % 3900);
  console.log(memories.add({ text, tags: [], by: name, at }).id);
}
`;

let scratch: ScratchRepo;
let file = '';
let memories: Memories;
beforeEach(() => {
  scratch = scratchRepo();
  file = join(scratch.dir, '.git/paralph/memories.jsonl');
  memories = openMemories(findRepository(scratch.dir));
});
afterEach(() => scratch.remove());

const note = (text: string, at = 1): { readonly id: string } => memories.add({ text, tags: [], by: 'user', at });
const texts = (): readonly string[] => memories.list().map(({ text }) => text);
const page = (): string => readFileSync(join(scratch.dir, '.ralph/memories.md'), 'utf8');

describe('memories', () => {
  it('are none at first, and reading makes nothing', () => {
    expect([memories.list(), memories.search('x'), memories.skipped()]).toEqual([[], [], 0]);
    expect(existsSync(join(scratch.dir, '.git/paralph'))).toBe(false);
    expect(existsSync(join(scratch.dir, '.ralph'))).toBe(false);
  });

  it('are kept, shown to people, hidden from git and seen from every worktree', () => {
    const { id } = memories.add({ text: 'use pnpm', tags: ['build'], by: 'login-1', at: 5 });
    note('second', 6);
    expect(memories.list()[0]).toEqual({ id, at: 5, by: 'login-1', text: 'use pnpm', tags: ['build'] });
    expect(memories.search('PNPM')).toEqual([memories.list()[0]]);
    expect(page()).toMatch(/second[\s\S]*use pnpm/);
    expect(scratch.git('status', '--porcelain')).toBe('');
    scratch.git('worktree', 'add', '-q', 'other');
    expect(openMemories(findRepository(join(scratch.dir, 'other'))).list()).toEqual(memories.list());
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('have text, of at most 4,000 characters, without controls', () => {
    for (const text of ['', ' \n\t', '\u0000\u001b\u202e', 'x'.repeat(4001)])
      expect(() => note(text)).toThrow(expect.objectContaining({ code: 'E_USAGE', remedy: expect.any(String) }));
    expect(existsSync(file)).toBe(false);
    note(`\u001b${'é'.repeat(4000)}\n`);
    expect(texts()).toEqual(['é'.repeat(4000)]);
  });

  it('survive a torn line before them', () => {
    note('first');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length - 9));
    expect([texts(), memories.skipped()]).toEqual([[], 1]);
    note('second');
    appendFileSync(file, '{"id":"m');
    expect([texts(), memories.skipped()]).toEqual([['second'], 2]);
    note('third');
    expect([texts(), memories.skipped()]).toEqual([['second', 'third'], 2]);
  });

  it('are found among lines that are none', () => {
    note('first');
    appendFileSync(file, Buffer.concat([Buffer.from('\nnot json\n{}\n\n'), Buffer.from([0xff, 0xfe, 0x0a])]));
    note('second');
    expect([texts(), memories.skipped()]).toEqual([['first', 'second'], 3]);
  });

  it('are the newest ones of a file that grew too large', () => {
    note('oldest');
    appendFileSync(file, `${'x'.repeat(9 * 1024 * 1024)}\n`);
    note('newest');
    expect([texts(), memories.skipped()]).toEqual([['newest'], 0]);
  });

  it('are kept when they cannot be shown', () => {
    writeFileSync(join(scratch.dir, '.ralph'), 'a file where the folder should be');
    note('kept');
    expect(texts()).toEqual(['kept']);
  });

  it('do not follow links somebody laid', () => {
    const victim = join(scratch.dir, 'victim');
    writeFileSync(victim, 'mine');
    mkdirSync(join(scratch.dir, '.ralph'));
    symlinkSync(victim, join(scratch.dir, '.ralph/memories.md'));
    note('first');
    rmSync(file);
    symlinkSync(victim, file);
    expect(() => note('second')).toThrow(expect.objectContaining({ code: 'E_STATE_UNWRITABLE' }));
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect(page()).toContain('first');
  });

  it('are changed and removed by a further line, and the page follows', () => {
    const [first, second] = [note('first'), note('second', 2)];
    const [before] = memories.list();
    memories.change({ ...(before as Memory), text: 'FIRST', tags: ['new'] });
    memories.remove(second.id);
    expect(memories.list()).toEqual([{ id: first.id, at: 1, by: 'user', text: 'FIRST', tags: ['new'] }]);
    expect(page()).toContain('#new\n\n  FIRST\n');
    expect(page()).not.toContain('second');
    expect(readFileSync(file, 'utf8')).toMatch(/"first"[\s\S]*"second"[\s\S]*"FIRST"/);
    expect(() => memories.change({ ...(before as Memory), text: ' ' })).toThrow(/without text/);
  });

  describe('on a page that somebody changed', () => {
    const hand = (from: string | RegExp, to: string): void =>
      writeFileSync(join(scratch.dir, '.ralph/memories.md'), page().replace(from, to));
    const told: string[] = [];
    const open = (): Memories => openMemories(findRepository(scratch.dir), (text) => told.push(text));
    beforeEach(() => void told.splice(0));

    it('are taken up by whoever comes next: added, changed, removed', () => {
      for (const [at, text] of ['one', 'two', 'three'].entries()) note(text, at);
      hand('  two', '  TWO');
      hand(/- .*\n\n {2}one\n/, '');
      hand(/$/, '\n- written by hand\n');
      expect(
        open()
          .list()
          .map(({ text }) => text),
      ).toEqual(['TWO', 'three', 'written by hand']);
      expect(told).toEqual(['taken up what was changed in .ralph/memories.md by hand: 3']);
      expect(page()).toContain('  written by hand\n');
      open().list();
      expect(told).toHaveLength(1);
    });

    it('remove nothing that was not on it', () => {
      note('one');
      const old = page();
      note('two');
      writeFileSync(join(scratch.dir, '.ralph/memories.md'), old.replace('  one', '  ONE'));
      expect(texts()).toEqual(['ONE', 'two']);
    });

    it('are kept aside where they cannot be read, never over another page', () => {
      note('one');
      hand('# Memories', 'my own words');
      const mine = page();
      expect(open().list()).toHaveLength(1);
      expect(told[0]).toMatch(/^\.ralph\/memories\.md:1: .*kept as \.ralph\/memories\.md\.kept-1$/);
      expect(readFileSync(join(scratch.dir, '.ralph/memories.md.kept-1'), 'utf8')).toBe(mine);
      hand('# Memories', 'other words');
      note('two');
      expect(readFileSync(join(scratch.dir, '.ralph/memories.md.kept-2'), 'utf8')).toContain('other words');
      expect(page()).toContain('# Memories');
    });
  });

  it('of another tool are taken over once, by their ids, and stay removed', () => {
    const foreign =
      '## Fixes\n\n### mem-1737372000-a1b2\n> use $(touch x)\n<!-- tags: sh | created: 2025-01-20 -->\n- two\n';
    scratch.write('.agent/memories.md', foreign);
    scratch.write('victim/memories.md', '- not ours\n');
    mkdirSync(join(scratch.dir, '.ralph'));
    symlinkSync('../victim', join(scratch.dir, '.ralph/agent'));
    const told: string[] = [];
    const open = (): Memories => openMemories(findRepository(scratch.dir), (text) => told.push(text));
    expect(
      open()
        .search('two')
        .map(({ text }) => text),
    ).toEqual(['two']);
    expect(told).toEqual(['taken over from .agent/memories.md, which stays as it is: 2 memories']);
    expect(open().list()[0]).toMatchObject({
      id: 'mem-1737372000-a1b2',
      by: 'imported',
      tags: ['fix', 'sh'],
      at: Date.parse('2025-01-20'),
    });
    memories.remove('mem-1737372000-a1b2');
    expect(memories.importPage(`${foreign}- three\n`, 5)).toEqual({ found: 3, added: 1 });
    expect(texts()).toEqual(['two', 'three']);
    expect(told).toHaveLength(1);
    expect(readFileSync(join(scratch.dir, '.agent/memories.md'), 'utf8')).toBe(foreign);
    expect(page()).toContain('three');
  });

  it('of eight processes at once: none is lost, and the page shows them all', async () => {
    const child = await bundleChild(WRITER);
    try {
      const names = Array.from({ length: 8 }, (_, n) => `loop-${n}`);
      const told = await Promise.all(names.map((name) => child.start(scratch.dir, name, '50').output));
      const ids = told.flatMap((output) => output.trim().split('\n'));
      expect(new Set(ids).size).toBe(400);
      expect(memories.skipped()).toBe(0);
      expect(new Set(memories.list().map(({ id }) => id))).toEqual(new Set(ids));
      for (const name of names)
        expect(
          memories
            .list()
            .filter(({ by }) => by === name)
            .map(({ at }) => at),
        ).toEqual([...Array(50).keys()]);
      expect(page().match(/^- .*/gm)).toHaveLength(400);
      expect(readdirSync(join(scratch.dir, '.ralph')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    } finally {
      child.remove();
    }
  });
});
