import { describe, expect, it } from 'vitest';
import { alignRows, fitTable, displayWidth } from './table.ts';
import type { TableColumn } from './table.ts';

const column = (head: string, rank: number | null, ...cells: readonly string[]): TableColumn => ({ head, rank, cells });

/** Loops as they are listed, with titles of every kind. */
const LOOPS: readonly TableColumn[] = [
  column('ID', null, 'login-3f2a', 'kensaku-9k1d', 'start-77ab'),
  { ...column('STATUS', null, 'running', 'needs-review (conflict)', 'queued'), least: 14 },
  column('AGE', 3, '4m', '31m', '2h'),
  column('GATES', 2, 'red', 'green', '-'),
  column('PLACE', 7, 'worktree', 'worktree', 'in-place'),
  column('BRANCH', 6, 'ralph/login-3f2a', 'ralph/kensaku-9k1d', 'ralph/start-77ab'),
  {
    ...column('TASK', 1, 'Log in with a second factor', '検索の結果を速く表示する', '🚀 Start in a second'),
    least: 16,
  },
  {
    ...column('NEXT', null, 'ralph loops logs login-3f2a -f', 'ralph loops retry kensaku-9k1d', 'ralph queue --watch'),
    below: 'next: ',
  },
];

const headsOf = (table: string): readonly string[] => table.split('\n')[0]?.split(/ +/) ?? [];
const widest = (table: string): number => Math.max(...table.split('\n').map(displayWidth));

describe('alignRows', () => {
  it('aligns by what is seen, cleans what is not ours, and leaves no space behind', () => {
    const rows = [
      ['日本', 'x', ''],
      ['a\u001b[2Jb', 'two\nlines', 'end'],
    ];
    expect(alignRows(rows)).toBe('日本  x\nab    two lines  end');
  });
});

describe('fitTable', () => {
  it('is whole where there is room', () => {
    const whole = fitTable(LOOPS, Number.POSITIVE_INFINITY);
    expect(headsOf(whole)).toEqual(LOOPS.map(({ head }) => head));
    expect(whole).toContain('検索の結果を速く表示する');
    expect(fitTable(LOOPS, widest(whole))).toBe(whole);
  });

  it('cuts the title first', () => {
    const whole = fitTable(LOOPS, Number.POSITIVE_INFINITY);
    const narrower = fitTable(LOOPS, widest(whole) - 8);
    expect(headsOf(narrower)).toEqual(headsOf(whole));
    expect(widest(narrower)).toBeLessThanOrEqual(widest(whole) - 8);
    expect(narrower).toMatch(/Log in with a sec\S*…/);
    expect(narrower).toContain('検索の結果を速く表…');
  });

  it('leaves out what is wanted least, never what it is, where it stands and what to do', () => {
    expect(fitTable(LOOPS, 120)).toBe(`\
ID            STATUS                   AGE  GATES  BRANCH              TASK               NEXT
login-3f2a    running                  4m   red    ralph/login-3f2a    Log in with a se…  ralph loops logs login-3f2a -f
kensaku-9k1d  needs-review (conflict)  31m  green  ralph/kensaku-9k1d  検索の結果を速く…  ralph loops retry kensaku-9k1d
start-77ab    queued                   2h   -      ralph/start-77ab    🚀 Start in a se…  ralph queue --watch`);
    expect(fitTable(LOOPS, 80)).toBe(`\
ID            STATUS                   GATES  NEXT
login-3f2a    running                  red    ralph loops logs login-3f2a -f
kensaku-9k1d  needs-review (conflict)  green  ralph loops retry kensaku-9k1d
start-77ab    queued                   -      ralph queue --watch`);
  });

  it('puts the command below where it does not fit beside the rest, whole', () => {
    expect(fitTable(LOOPS, 60)).toBe(`\
ID            STATUS                   AGE  TASK
login-3f2a    running                  4m   Log in with a s…
  next: ralph loops logs login-3f2a -f
kensaku-9k1d  needs-review (conflict)  31m  検索の結果を速…
  next: ralph loops retry kensaku-9k1d
start-77ab    queued                   2h   🚀 Start in a s…
  next: ralph queue --watch`);
    expect(fitTable(LOOPS, 30).split('\n').slice(0, 4)).toEqual([
      'ID            STATUS',
      'login-3f2a    running',
      '  next: ralph loops logs login-3f2a -f',
      'kensaku-9k1d  needs-review (c…',
    ]);
  });

  it('is never wider than the terminal while the narrowest of it fits', () => {
    for (let width = 44; width < 180; width++) expect(widest(fitTable(LOOPS, width))).toBeLessThanOrEqual(width);
  });

  it('has a head and nothing else without rows', () => {
    expect(fitTable([column('ID', null), column('AGE', 1)], 80)).toBe('ID  AGE');
  });
});

describe('alignRows where there is little room', () => {
  it('cuts the widest cell that is no command, and puts a command below', () => {
    const rows = [['parked', 'a', 'x'.repeat(80), 'next: ralph loops resume a-1']];
    expect(alignRows(rows)).toContain('x'.repeat(80));
    const [first = '', second] = alignRows(rows, 40).split('\n');
    expect(displayWidth(first)).toBe(40);
    expect(first).toMatch(/^parked {2}a {2}x+…$/);
    expect(second).toBe('  next: ralph loops resume a-1');
    expect(alignRows([['a', 'b']], 40)).toBe('a  b');
  });
});
