import { describe, expect, it } from 'vitest';
import { addedToPage, isLoopPage, loopPage } from './loop-page.ts';

const memory = (text: string, at = 0) => ({ id: `m${at}`, at, by: 'user', text, tags: [] });

describe('the page of memories in a loop', () => {
  it('shows the newest first, and of nothing that was added nothing comes', () => {
    const page = loopPage([memory('first', 1), memory('second\nwith more', 2)]);
    expect(page).toMatch(/- second\n {2}with more \(user\)\n- first \(user\)\n\n<!--.*-->\n$/);
    expect(loopPage([{ ...memory('third'), by: 'login-1' }])).toContain('- third (from loop login-1)\n');
    expect([isLoopPage(page), isLoopPage('# Memories\n'), addedToPage(page)]).toEqual([true, false, []]);
  });

  it('takes what stands below its last line, a memory a line', () => {
    const page = loopPage([memory('known')]);
    expect(addedToPage(`${page}use pnpm\n\n- run the linter\n  before each commit\n`)).toEqual([
      'use pnpm',
      'run the linter\nbefore each commit',
    ]);
    expect(addedToPage(`${page}last without an end`)).toEqual(['last without an end']);
    expect(addedToPage(`${page}twice\ntwice\n`)).toEqual(['twice']);
  });

  it('drops every other edit', () => {
    const page = loopPage([memory('known')]);
    expect(addedToPage(`my own page\n- all mine\n`)).toEqual([]);
    expect(addedToPage(page.replace('known', 'forged'))).toEqual([]);
    expect(addedToPage(`${page.replace('known', 'forged')}kept\n`)).toEqual(['kept']);
    expect(addedToPage(page.replace('- known', '- new above\n- known'))).toEqual([]);
  });

  it('takes entries as another tool writes them', () => {
    const entry = '### mem-1700000000-ab12\n> the build needs node 20\n<!-- tags: build | created: 2026-01-01 -->\n';
    expect(addedToPage(`${loopPage([])}\n${entry}`)).toEqual(['the build needs node 20']);
  });

  it('is bounded', () => {
    const page = loopPage(Array.from({ length: 100 }, (_, at) => memory('x'.repeat(3000), at)));
    expect(page.length).toBeLessThan(70_000);
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}\n`).join('');
    expect(addedToPage(`${page}${lines}`)).toHaveLength(50);
    expect(addedToPage(`${page}${'y'.repeat(10_000)}\n`)[0]?.length).toBeLessThanOrEqual(4000);
  });
});
