import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GREEN, key, POLICY, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { loneLoop } from './base.ts';
import { hostId, sha } from '../model/ids.ts';
import type { GateReport, HostPolicy } from '../model/model.ts';
import { isSpent, schedule } from '../plan/schedule.ts';
import { summarize } from '../views/summary.ts';
import { wishes } from '../plan/wishes.ts';

const ME = hostId('h1');
const HOLD: HostPolicy = { ...POLICY, base: 'hold', slots: 3 };

function begin(policy: Partial<HostPolicy> = {}): Tale {
  const tale = tellTale(() => {}, 'h1');
  tale.join('h1', { ...HOLD, ...policy });
  tale.read(task('a'), task('b'), task('c'), task('d'));
  return tale;
}

const find = (tale: Tale, commit = 'base'): unknown =>
  tale.write({
    type: 'base-found',
    gatesHash: 'g',
    commit: sha(commit),
    tree: sha(`${commit}-tree`),
    seen: { integration: tale.state().integration, target: tale.state().targetHead },
  });

function judge(tale: Tale, report: GateReport, commit = 'base'): void {
  const again = tale.state().bases['g']?.runs ?? 0;
  const at = { commit: sha(commit), tree: sha(`${commit}-tree`) };
  tale.write({ type: 'base-tested', gatesHash: 'g', ...at, again, report, likely: [], durationMs: 1 });
}

const wished = (tale: Tale, host = ME): readonly string[] =>
  wishes(tale.state(), host)
    .map(({ type }) => type)
    .filter((type) => type.endsWith('-base'));
const why = (tale: Tale, id: string) => schedule(tale.state(), ME).waits.find((one) => one.task.id === id)?.waiting.why;

describe('main itself', () => {
  it('is looked for and tested once beside the first loop, by one host, and not where nothing is to be done', () => {
    const tale = begin();
    expect(wished(tale)).toEqual([]);
    tale.begin('a');
    tale.join('h2', HOLD);
    expect([wished(tale), wished(tale, hostId('h2'))]).toEqual([['find-base'], []]);
    find(tale);
    expect(wished(tale)).toEqual(['test-base']);
    judge(tale, GREEN);
    expect(wished(tale)).toEqual([]);
    expect(why(tale, 'd')).toBe('slots');
  });

  it('is not tested where its tree is known, where there are no gates, or where nobody wants it', () => {
    for (const policy of [{ hasGates: false }, { base: 'off' } as const, { slots: 0 }]) {
      const tale = begin(policy);
      tale.begin('a');
      expect(wished(tale)).toEqual([]);
    }
    const tale = begin();
    const a = tale.begin('a');
    find(tale);
    tale.iterate(a, 'claimed', 'work');
    // The tree of the work is what main is from then on.
    tale.gate(a, GREEN);
    find(tale, 'base');
    tale.write({ type: 'integration-moved', head: sha('moved') });
    expect(wished(tale)).toEqual([]);
    tale.begin('b');
    expect(wished(tale)).toEqual(['find-base']);
    tale.write({
      type: 'base-found',
      gatesHash: 'g',
      commit: sha('moved'),
      tree: sha('work'),
      seen: { integration: sha('moved'), target: null },
    });
    expect(wished(tale)).toEqual([]);
  });

  it('red: nothing starts, the earliest goes on, the others keep their work and wait, and nothing is counted', () => {
    const tale = begin();
    const [b, a, c] = [tale.begin('b'), tale.begin('a', { slot: 2 }), tale.begin('c', { slot: 3 })];
    find(tale);
    judge(tale, RED);
    expect(loneLoop(tale.state(), HOLD)?.id).toBe(a);
    expect(tale.iterate(b, 'worked', 'work')).toMatchObject({
      host: null,
      waitsFor: 'base',
      counted: 0,
      idleStreak: 0,
    });
    tale.iterate(c, 'claimed', 'work');
    expect(tale.gate(c, RED)).toMatchObject({ host: null, waitsFor: 'base', counted: 0, phase: { at: 'iterating' } });
    expect(tale.iterate(a, 'worked', 'work')).toMatchObject({ host: ME, counted: 1 });
    expect(why(tale, 'd')).toBe('base');
    expect(schedule(tale.state(), ME)).toMatchObject({ starts: [], adopts: [] });
    expect(tale.state().attempts).toEqual({ [key('a')]: 1, [key('b')]: 1, [key('c')]: 1 });
  });

  it('red, and a person stops the one that goes on: another goes on once its iteration is over, not beside it', () => {
    const tale = begin();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    find(tale);
    judge(tale, RED);
    tale.iterate(b, 'worked', 'work');
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    expect(schedule(tale.state(), ME).adopts).toEqual([]);
    expect(tale.iterate(a, 'worked', 'work')).toMatchObject({ phase: { at: 'parked', reason: 'stopped' } });
    expect(schedule(tale.state(), ME).adopts).toMatchObject([{ loop: b }]);
  });

  it('two red claims in all, and nothing goes on any more: the run ends and says that main needs a person', () => {
    const tale = begin();
    const a = tale.begin('a');
    tale.iterate(a, 'claimed', 'work');
    // Told of before anybody knew why.
    tale.gate(a, RED);
    find(tale);
    judge(tale, RED);
    expect(isSpent(tale.state(), ME)).toBe(false);
    tale.iterate(a, 'claimed', 'more');
    expect(tale.gate(a, RED)).toMatchObject({ host: null, waitsFor: 'base', phase: { at: 'iterating', n: 3 } });
    expect(loneLoop(tale.state(), HOLD)).toBeNull();
    expect(isSpent(tale.state(), ME)).toBe(true);
    expect(wished(tale)).toEqual([]);
    expect(summarize(tale.state(), HOLD)).toMatchObject({ exit: 6, base: { gate: 'npm test', tail: 'one failed' } });
  });

  it('green again once what goes on has landed: main comes into what waited, and what was done is judged again', () => {
    const tale = begin();
    const [a, b, c] = [tale.begin('a'), tale.begin('b', { slot: 2 }), tale.begin('c', { slot: 3 })];
    find(tale);
    judge(tale, RED);
    tale.iterate(b, 'claimed', 'b-work');
    tale.gate(b, RED);
    tale.iterate(c, 'worked', 'c-work');
    tale.iterate(a, 'claimed', 'main-tree');
    tale.gate(a, GREEN);
    expect(schedule(tale.state(), ME)).toMatchObject({ starts: [], adopts: [] });
    tale.startLanding();
    tale.build([[a, 'main']], { base: sha('base'), baseTree: sha('base-tree') });
    tale.advance('main');
    expect(tale.state().bases['g']).toMatchObject({ red: null, commit: 'main' });
    expect(schedule(tale.state(), ME)).toMatchObject({
      adopts: [{ loop: b }, { loop: c }],
      starts: [{ task: key('d') }],
    });
    for (const [loop, slot] of [
      [b, 1],
      [c, 2],
    ] as const)
      tale.write({ type: 'loop-adopted', loop, host: ME, slot });
    expect(tale.loop(b).phase).toEqual({ at: 'updating', n: 1 });
    expect(tale.loop(c).phase).toEqual({ at: 'updating', n: 2 });
    const { fence, head } = tale.loop(b);
    const merged = { before: head ?? sha(''), head: sha('m'), tree: sha('m-tree'), conflicts: [] };
    const onto = { base: sha('main'), baseTree: sha('main-tree') };
    tale.write({ type: 'main-merged', loop: b, fence, n: 1, ...onto, ...merged });
    expect(tale.loop(b).phase).toEqual({ at: 'gating', n: 1 });
    expect(tale.mergeMain(c).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('where a person lands, or has to look first, nobody goes on past what is done; one red run is proved first', () => {
    for (const touched of [[], ['CLAUDE.md']]) {
      const mergePolicy = touched.length === 0 ? 'manual' : 'auto_merge';
      const tale = begin({ mergePolicy, train: { ...POLICY.train, flakeRetries: 'auto' } });
      const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
      find(tale);
      judge(tale, RED);
      tale.iterate(b, 'worked', 'b-work');
      tale.iterate(a, 'claimed', 'a-work');
      tale.gate(a, GREEN, touched);
      expect(loneLoop(tale.state(), HOLD)).toBeNull();
      expect(wished(tale)).toEqual(['test-base']);
      judge(tale, RED);
      expect(wished(tale)).toEqual([]);
      expect(isSpent(tale.state(), ME)).toBe(true);
      const summary = summarize(tale.state(), { ...HOLD, mergePolicy });
      expect(summary.exit).toBe(6);
      expect(summary.base?.next[0]).toBe('ralph land a');
    }
  });

  it('a lie about main costs nothing but time: once its tree is green, by whoever, all goes on', () => {
    const tale = begin();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    find(tale);
    judge(tale, RED);
    tale.iterate(b, 'worked', 'b-work');
    tale.iterate(a, 'claimed', 'base-tree-with-tick');
    tale.write({
      type: 'base-tested',
      gatesHash: 'g',
      commit: sha('base'),
      tree: sha('base-tree'),
      again: 1,
      report: GREEN,
      likely: [],
      durationMs: 1,
    });
    expect(schedule(tale.state(), ME).adopts).toMatchObject([{ loop: b }]);
  });

  it('a new main is tested while the old one still holds; a new run tests a red one again, and only one begins meanwhile', () => {
    const tale = begin();
    tale.begin('a');
    find(tale);
    judge(tale, RED);
    tale.write({ type: 'target-moved', head: sha('mended') });
    expect(wished(tale)).toEqual(['find-base']);
    find(tale, 'mended');
    expect(wished(tale)).toEqual(['test-base']);
    expect(why(tale, 'b')).toBe('base');
    judge(tale, GREEN, 'mended');
    expect(why(tale, 'b')).toBeUndefined();

    const next = begin();
    const first = next.begin('a');
    find(next);
    judge(next, RED);
    next.write({ type: 'loop-stopped', loop: first, now: true });
    next.write({ type: 'host-left', host: ME });
    next.join('h1', HOLD);
    expect(schedule(next.state(), ME).starts).toMatchObject([{ task: key('b') }]);
    next.begin('b');
    expect(wished(next)).toEqual(['test-base']);
    expect(schedule(next.state(), ME).starts).toEqual([]);
  });

  it('--anyway starts all, and is told all the same', () => {
    const tale = begin({ base: 'tell' });
    tale.begin('a');
    find(tale);
    judge(tale, RED);
    expect(schedule(tale.state(), ME).starts).toMatchObject([{ task: key('b') }, { task: key('c') }]);
    expect(summarize(tale.state(), { ...HOLD, base: 'tell' }).base).toBeNull();
  });

  it('what cannot be tested is nothing to go by, and what a host tells late of main changes nothing', () => {
    const tale = begin();
    tale.begin('a');
    find(tale);
    tale.write({ type: 'command-failed', command: 'test-base', loop: null, fence: -1, code: 'E_GIT', message: 'no' });
    expect(wished(tale)).toEqual([]);
    expect(why(tale, 'b')).toBeUndefined();
    const late = tellTale(() => {}, 'h9');
    late.join('h1', HOLD);
    find(late);
    expect(late.state().bases).toEqual({});
  });

  it('of any loops at work the one of the earliest task goes on, and no other', () => {
    const order = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
    fc.assert(
      fc.property(order, fc.array(fc.constantFrom(null, 1, 2), { minLength: 4, maxLength: 4 }), (begun, priorities) => {
        const tale = tellTale(() => {}, 'h1');
        tale.join('h1', { ...HOLD, slots: 4 });
        const names = ['a', 'b', 'c', 'd'];
        tale.read(...names.map((name, at) => task(name, { priority: priorities[at] ?? null })));
        const loops = new Map(begun.map((name, at) => [tale.begin(name, { slot: at + 1 }), name]));
        find(tale);
        judge(tale, RED);
        const rank = (name: string): number => (priorities[names.indexOf(name)] ?? 9) * 10 + names.indexOf(name);
        const earliest = begun.toSorted((x, y) => rank(x) - rank(y))[0];
        for (const [id, name] of loops)
          expect(tale.iterate(id, 'worked', `${name}-work`).waitsFor).toBe(name === earliest ? null : 'base');
      }),
    );
  });
});
