import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { key, LIMITS, task, tellTale, TRAIN } from '../../../test/sim/tale.ts';
import { hostId, loopId, sha, taskId, taskKey } from '../model/ids.ts';
import type { Loop } from '../model/model.ts';
import { conflictsToMend } from '../loops/rework.ts';
import { schedule, isSpent } from './schedule.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import type { Filter } from '../model/task.ts';

const ME = hostId('h1');
const starts = (tale: Tale, host = ME) => schedule(tale.state(), host).starts.map((start) => start.task);
const waits = (tale: Tale) =>
  Object.fromEntries(schedule(tale.state(), ME).waits.map(({ task: one, waiting }) => [one.id, waiting]));

describe('schedule', () => {
  it('fills every free slot at once and says that the rest waits for one', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 2 });
    tale.read(task('a'), task('b'), task('c'));
    expect(schedule(tale.state(), ME).starts).toEqual([
      { task: key('a'), slot: 1, onto: [] },
      { task: key('b'), slot: 2, onto: [] },
    ]);
    expect(waits(tale)).toEqual({ c: { why: 'slots' } });
    tale.begin('a', { slot: 1 });
    expect(schedule(tale.state(), ME).starts).toEqual([{ task: key('b'), slot: 2, onto: [] }]);
  });

  it('takes low priority numbers first, then the order of the file, then what has none', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.read(task('plain'), task('two', { priority: 2 }), task('one', { priority: 1 }), task('also', { priority: 2 }));
    expect(starts(tale)).toEqual([key('one'), key('two'), key('also'), key('plain')]);
  });

  it('never runs two tasks of a group at once, also within one plan', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.read(task('a', { group: 'auth' }), task('b', { group: 'auth' }), task('ui', { group: 'ui' }));
    expect(starts(tale)).toEqual([key('a'), key('ui')]);
    expect(waits(tale)['b']).toEqual({ why: 'group', group: 'auth', behind: 'a' });
    const a = tale.ready('a');
    expect(waits(tale)['b']).toEqual({ why: 'group', group: 'auth', behind: 'a' });
    tale.land(a);
    expect(starts(tale)).toEqual([key('b'), key('ui')]);
  });

  it('keeps a group busy when the task was taken out of the file or moved to another group', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.read(task('a', { group: 'auth' }), task('b', { group: 'auth' }));
    tale.begin('a');
    tale.read(task('b', { group: 'auth' }));
    expect(starts(tale)).toEqual([]);
    tale.read(task('a', { group: 'ui' }), task('b', { group: 'auth' }), task('c', { group: 'ui' }));
    expect(starts(tale)).toEqual([]);
  });

  it('lets a group go on, and builds nothing on what was taken out of the file, once nobody works on that', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.join('h2', { slots: 9 });
    tale.read(task('a', { group: 'auth' }), task('b', { group: 'auth' }));
    tale.begin('a', { host: 'h2' });
    tale.read(task('b', { group: 'auth' }));
    expect(waits(tale)['b']).toEqual({ why: 'group', group: 'auth', behind: 'a' });
    tale.write({ type: 'host-lost', host: hostId('h2') });
    expect(schedule(tale.state(), ME).starts).toEqual([{ task: key('b'), slot: 1, onto: [] }]);

    tale.read(task('c', { group: 'ui' }), task('d', { group: 'ui' }));
    tale.ready('c', { slot: 2 });
    expect(starts(tale)).toEqual([]);
    tale.read(task('d', { group: 'ui' }));
    expect(schedule(tale.state(), ME).starts).toEqual([{ task: key('d'), slot: 1, onto: [] }]);
  });

  it('treats tasks without a group as one group under strategy group only', () => {
    for (const [strategy, count] of [
      ['queue', 2],
      ['group', 1],
    ] as const) {
      const tale = tellTale();
      tale.join('h1', { slots: 9, strategy });
      tale.read(task('a'), task('b'));
      expect(starts(tale)).toHaveLength(count);
    }
  });

  it('starts a task when its dependencies have landed or are done in the file', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9 });
    tale.read(task('a'), task('done', { status: 'done' }), task('b', { deps: ['a', 'done', 'nowhere'] }));
    expect(waits(tale)['b']).toEqual({ why: 'dependency', on: ['a', 'nowhere'] });
    const a = tale.ready('a');
    tale.read(task('a'), task('b', { deps: ['a'] }));
    expect(waits(tale)['b']).toEqual({ why: 'dependency', on: ['a'] });
    tale.land(a);
    expect(starts(tale)).toEqual([key('b')]);
  });

  it('starts from the ready branches it builds on where a person lands by hand', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9, mergePolicy: 'manual' });
    tale.read(
      task('dep'),
      task('first', { group: 'g' }),
      task('second', { group: 'g' }),
      task('b', { deps: ['dep'], group: 'g' }),
    );
    const dep = tale.ready('dep');
    const first = tale.ready('first');
    const second = tale.ready('second', { onto: [first] });
    expect(schedule(tale.state(), ME).starts).toEqual([{ task: key('b'), slot: 1, onto: [dep, second] }]);
  });

  it('says why each task waits', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 3, mergePolicy: 'manual' });
    tale.read(
      task('held'),
      task('ready'),
      task('parked'),
      task('blocked', { status: 'blocked', blockedReason: 'asks' }),
      task('ticked', { status: 'done' }),
    );
    const held = tale.begin('held', { slot: 1 });
    const ready = tale.ready('ready', { slot: 2 });
    const parked = tale.begin('parked', { slot: 2 });
    tale.iterate(parked, 'timed-out');
    expect(waits(tale)).toEqual({
      held: { why: 'held', loop: held },
      ready: { why: 'ready', loop: ready },
      parked: { why: 'parked', loop: parked },
      blocked: { why: 'blocked', reason: 'asks' },
      ticked: { why: 'done' },
    });
  });

  it('tries a parked task again while attempts are left, and after a reset', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...tale.join('h1').hosts[ME]!.policy.limits, attempts: 2 } });
    tale.read(task('a'));
    tale.iterate(tale.begin('a'), 'timed-out');
    expect(starts(tale)).toEqual([key('a')]);
    tale.iterate(tale.begin('a'), 'timed-out');
    expect(starts(tale)).toEqual([]);
    tale.write({ type: 'task-reset', task: key('a') });
    expect(starts(tale)).toEqual([key('a')]);
  });

  it('goes by the order of the log when a clock went back', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...tale.join('h1').hosts[ME]!.policy.limits, attempts: 3 } });
    tale.read(task('a'));
    tale.iterate(tale.begin('a'), 'timed-out');
    const second = tale.begin('a');
    const state = tale.state();
    const early = { ...state, loops: { ...state.loops, [second]: { ...tale.loop(second), claimedAt: 1 } } };
    expect(schedule(early, ME).starts).toEqual([]);
  });

  it('adopts what nobody holds before it starts anything new', () => {
    const tale = tellTale();
    tale.join('h2');
    tale.read(task('a'), task('b'));
    const a = tale.begin('a', { host: 'h2', slot: 2 });
    tale.write({ type: 'host-lost', host: hostId('h2') });
    tale.join('h1', { slots: 1 });
    expect(schedule(tale.state(), ME)).toMatchObject({ adopts: [{ loop: a, slot: 1 }], starts: [] });
    expect(isSpent(tale.state(), ME)).toBe(false);
  });

  it('leaves what waits for the agent for conflicts to log in until it has', () => {
    const tale = tellTale();
    const resolver = { name: 'rex', account: 'rex' };
    tale.join('h1', { resolver, train: { ...TRAIN, onConflict: 'ai_resolve' } });
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    tale.sendBack(a);
    expect(schedule(tale.state(), ME).adopts).toHaveLength(1);
    tale.write({ type: 'loop-adopted', loop: a, host: ME, slot: 1 });
    tale.mergeMain(a, ['x']);
    const hold = { kind: 'auth', untilMs: null, detail: 'log in' } as const;
    tale.iterate(a, 'refused', 'x', 1, { agent: 'rex', account: 'rex', hold });
    expect(tale.loop(a)).toMatchObject({ host: null, waitsFor: 'auth' });
    expect(schedule(tale.state(), ME).adopts).toEqual([]);
  });

  it('gives nothing to a host that drains, is unknown or has no slot', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.join('lander', { slots: 0 });
    tale.read(task('a'));
    expect(starts(tale, hostId('lander'))).toEqual([]);
    expect(starts(tale, hostId('nobody'))).toEqual([]);
    tale.write({ type: 'host-draining', host: ME });
    expect(starts(tale)).toEqual([]);
  });

  it('keeps to slots, groups and dependencies whatever the tasks', () => {
    const tasks = fc.array(
      fc.record({
        group: fc.constantFrom(null, 'x', 'y'),
        deps: fc.array(fc.nat(9), { maxLength: 2 }),
        priority: fc.option(fc.nat(3)),
        done: fc.boolean(),
      }),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(
        tasks,
        fc.integer({ min: 0, max: 4 }),
        fc.constantFrom('queue', 'group'),
        (drafts, slots, strategy) => {
          const tale = tellTale();
          tale.join('h1', { slots, strategy: strategy as 'queue' | 'group' });
          const all = drafts.map(({ group, deps, priority, done }, index) =>
            task(`t${index}`, { group, priority, status: done ? 'done' : 'open', deps: deps.map((dep) => `t${dep}`) }),
          );
          tale.read(...all);
          const plan = schedule(tale.state(), ME);
          const begun = all.filter((one) => plan.starts.some((start) => start.task === key(one.id)));
          const groups = begun.map((one) => one.group ?? (strategy === 'group' ? '' : one.id));
          expect(new Set(groups).size).toBe(groups.length);
          expect(
            begun.every((one) =>
              one.deps.every((dep) => all.some((other) => other.id === dep && other.status === 'done')),
            ),
          ).toBe(true);
          expect(plan.starts.length).toBeLessThanOrEqual(slots);
          expect(plan.starts.length + plan.waits.length).toBe(all.length);
          const isFull = plan.starts.length === slots;
          expect(isFull || plan.waits.every(({ waiting }) => waiting.why !== 'slots')).toBe(true);
        },
      ),
    );
  });
});

const filters = (...only: readonly string[]) =>
  only.map((text) => {
    const [, key, sign, value] = /^(\w+)(<?=)(.*)$/.exec(text) ?? [];
    return { key, sign, value } as Filter;
  });

describe('a host that shall begin only some tasks', () => {
  const tasks = [
    task('a', { group: 'auth', priority: 2, labels: ['small', 'easy'] }),
    task('b', { group: 'auth', story: 'S-1' }),
    task('c', { group: 'ui', priority: 1, labels: ['small'] }),
  ];
  it.each([
    [['group=ui'], ['c']],
    [
      ['group=auth', 'group=ui'],
      ['c', 'a'],
    ],
    [['id=b'], ['b']],
    [['priority=1'], ['c']],
    [['priority<=2'], ['c', 'a']],
    [
      ['priority=2', 'priority=1'],
      ['c', 'a'],
    ],
    [['story=S-1'], ['b']],
    [['label=small', 'group=auth'], ['a']],
    [['epic=E-1'], []],
    [['group=auth', 'priority<=2'], ['a']],
  ])('begins those that fit %j', (only, ids) => {
    const tale = tellTale();
    tale.join('h1', { slots: 9, choice: filters(...only) });
    tale.read(...tasks);
    expect(starts(tale)).toEqual(ids.map((id) => key(id)));
    for (const { id } of tasks.filter((one) => !ids.includes(one.id)))
      if (id !== 'b' || !ids.includes('a')) expect(waits(tale)[id]).toEqual({ why: 'not-chosen' });
  });

  it('goes on with those and no others, and does not wait for the others either', () => {
    const tale = tellTale();
    tale.join('h2', { slots: 9 });
    tale.read(...tasks);
    const [a, c] = [tale.begin('a', { host: 'h2' }), tale.begin('c', { host: 'h2', slot: 2 })];
    tale.write({ type: 'host-left', host: hostId('h2') });
    tale.join('h1', { slots: 9, choice: filters('id=a') });
    expect(schedule(tale.state(), ME).adopts.map(({ loop }) => loop)).toEqual([a]);
    tale.read(...tasks.filter(({ id }) => id !== 'a'));
    expect([schedule(tale.state(), ME).adopts, starts(tale)]).toEqual([[], []]);
    expect(isSpent(tale.state(), ME)).toBe(true);
    tale.join('h1', { slots: 9 });
    expect(schedule(tale.state(), ME).adopts.map(({ loop }) => loop)).toEqual([c]);
  });
});

describe('an older loop that a person let go on', () => {
  it('holds its task, whatever became of the newer one', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 9, limits: { ...LIMITS, attempts: 2 } });
    tale.read(task('a'));
    const older = tale.begin('a');
    tale.write({ type: 'loop-stopped', loop: older, now: true }, { type: 'task-reset', task: key('a') });
    tale.begin('a');
    tale.write({ type: 'task-reset', task: key('a') }, { type: 'loop-resumed', loop: older });
    expect([starts(tale), schedule(tale.state(), ME).adopts.map(({ loop }) => loop)]).toEqual([[], [older]]);
  });
});

describe('isSpent', () => {
  it('waits with ready work that does not merge while another host’s loop mends the same files', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 1, train: { ...TRAIN, onConflict: 'requeue' } });
    tale.join('h2', { slots: 1, tracker: 'other.md', train: { ...TRAIN, onConflict: 'requeue' } });
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.write({ type: 'tasks-read', tracker: 'other.md', digest: 'o', tasks: [task('z')] });
    const z = loopId('z-1');
    const claim = {
      task: taskKey('other.md', taskId('z')),
      host: hostId('h2'),
      slot: 1,
      branch: 'ralph/z-1',
      onto: [],
    };
    tale.write({ type: 'task-claimed', loop: z, ...claim });
    tale.startLanding();
    tale.build([], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    const rework = { kind: 'conflict', by: 'owner', with: [], paths: ['x'], detail: '', times: 1 } as const;
    const state = tale.state();
    const mended = { ...tale.loop(z), rework: { ...rework, before: null, merged: null, countedBefore: 0 } };
    expect(isSpent({ ...state, loops: { ...state.loops, [z]: mended } }, ME)).toBe(false);
    const over: Loop = { ...mended, host: null, phase: { at: 'landed', commit: sha('c'.repeat(40)) } };
    expect(conflictsToMend({ ...state, loops: { ...state.loops, [z]: over } }, ME)).toEqual([a]);
  });

  it('waits for the loops of others, for the landing and for the queue', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.join('h2');
    tale.read(task('a'));
    const a = tale.begin('a', { host: 'h2' });
    expect(isSpent(tale.state(), ME)).toBe(false);
    tale.iterate(a, 'claimed', 'tree');
    tale.gate(a, { verdict: 'green', failing: null, tail: '' });
    expect(isSpent(tale.state(), ME)).toBe(false);
    tale.startLanding('h2');
    expect(isSpent(tale.state(), ME)).toBe(false);
    tale.build([], { contained: [{ loop: a, commit: tale.loop(a).head! }] });
    expect(isSpent(tale.state(), ME)).toBe(true);
  });

  it('does not wait for what only a person can change', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.ready('a');
    const fence = tale.startLanding();
    tale.write({ type: 'upstream-conflicted', fence, head: sha('u'), paths: ['x'] });
    expect(isSpent(tale.state(), ME)).toBe(true);
    expect(isSpent(tale.state(), hostId('gone'))).toBe(true);
  });

  it('does not wait for a queue that a person holds, and does for one that was let go', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.ready('a');
    tale.write({ type: 'queue-paused' });
    expect(isSpent(tale.state(), ME)).toBe(true);
    tale.write({ type: 'queue-resumed' });
    expect(isSpent(tale.state(), ME)).toBe(false);
  });

  it('waits for conflicts it may have mended, not for those it may not', () => {
    for (const [onConflict, spent] of [
      ['requeue', false],
      ['stop', true],
    ] as const) {
      const tale = tellTale();
      tale.join('h1', { train: { ...TRAIN, onConflict } });
      tale.read(task('a'));
      const a = tale.ready('a');
      tale.startLanding();
      tale.build([], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
      expect([onConflict, isSpent(tale.state(), ME)]).toEqual([onConflict, spent]);
    }
  });
});
