import { appendFileSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openMemories } from '../../../src/world/prompts/memories.ts';
import type { Memories, Memory } from '../../../src/world/prompts/memories.ts';
import { bundleChild } from '../bundled-child.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const WRITER = `
import { findRepository } from 'src/world/git/run/repository.ts';
import { openMemories } from 'src/world/prompts/memories.ts';
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

describe('memories', () => {
  it('are none at first, and reading makes nothing', () => {
    expect([memories.list(), memories.search('x')]).toEqual([[], []]);
    expect(existsSync(join(scratch.dir, '.git/paralph'))).toBe(false);
    expect(existsSync(join(scratch.dir, '.ralph'))).toBe(false);
  });

  it('are kept, hidden from git and seen from every worktree', () => {
    const { id } = memories.add({ text: 'use pnpm', tags: ['build'], by: 'login-1', at: 5 });
    note('second', 6);
    expect(memories.list()[0]).toEqual({ id, at: 5, by: 'login-1', text: 'use pnpm', tags: ['build'] });
    expect(memories.search('PNPM')).toEqual([memories.list()[0]]);
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
    expect(texts()).toEqual([]);
    note('second');
    appendFileSync(file, '{"id":"m');
    expect(texts()).toEqual(['second']);
    note('third');
    expect(texts()).toEqual(['second', 'third']);
  });

  it('are found among lines that are none', () => {
    note('first');
    appendFileSync(file, Buffer.concat([Buffer.from('\nnot json\n{}\n\n'), Buffer.from([0xff, 0xfe, 0x0a])]));
    note('second');
    expect(texts()).toEqual(['first', 'second']);
  });

  it('are the newest ones of a file that grew too large', () => {
    note('oldest');
    appendFileSync(file, `${'x'.repeat(9 * 1024 * 1024)}\n`);
    note('newest');
    expect(texts()).toEqual(['newest']);
  });

  it('do not follow links somebody laid', () => {
    const victim = join(scratch.dir, 'victim');
    writeFileSync(victim, 'mine');
    note('first');
    rmSync(file);
    symlinkSync(victim, file);
    expect(() => note('second')).toThrow(expect.objectContaining({ code: 'E_STATE_UNWRITABLE' }));
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it('are changed and removed by a further line', () => {
    const [first, second] = [note('first'), note('second', 2)];
    const [before] = memories.list();
    memories.change({ ...(before as Memory), text: 'FIRST', tags: ['new'] });
    memories.remove(second.id);
    expect(memories.list()).toEqual([{ id: first.id, at: 1, by: 'user', text: 'FIRST', tags: ['new'] }]);
    expect(readFileSync(file, 'utf8')).toMatch(/"first"[\s\S]*"second"[\s\S]*"FIRST"/);
    expect(() => memories.change({ ...(before as Memory), text: ' ' })).toThrow(/without text/);
  });

  it('of eight processes at once: none is lost', async () => {
    const child = await bundleChild(WRITER);
    try {
      const names = Array.from({ length: 8 }, (_, n) => `loop-${n}`);
      const told = await Promise.all(names.map((name) => child.start(scratch.dir, name, '50').output));
      const ids = told.flatMap((output) => output.trim().split('\n'));
      expect(new Set(ids).size).toBe(400);
      expect(new Set(memories.list().map(({ id }) => id))).toEqual(new Set(ids));
      for (const name of names)
        expect(
          memories
            .list()
            .filter(({ by }) => by === name)
            .map(({ at }) => at),
        ).toEqual([...Array(50).keys()]);
    } finally {
      child.remove();
    }
  });
});
