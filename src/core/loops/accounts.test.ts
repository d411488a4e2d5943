import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POLICY, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { accountsToResume, chooseAgent, roomFor, STRIKES_MAX } from './accounts.ts';
import type { HoldKind } from '../model/failure.ts';
import { hostId } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';

const AGENTS = [
  { name: 'ann', account: 'a' },
  { name: 'bob', account: 'b' },
];
const FAR_MS = 1_000_000;

function begun(): { readonly tale: Tale; readonly loops: readonly [LoopId, LoopId] } {
  const tale = tellTale();
  tale.join('h1', { agents: AGENTS, slots: 4 });
  tale.read(task('x'), task('y'));
  return { tale, loops: [tale.begin('x'), tale.begin('y', { slot: 2 })] };
}

/** An iteration of the first account ends like that. */
function hold(tale: Tale, loop: LoopId, kind: HoldKind, untilMs: number | null, account = 'a'): void {
  const outcomes = {
    warning: 'worked',
    limit: 'limited',
    rate: 'throttled',
    auth: 'refused',
    missing: 'refused',
  } as const;
  const outcome = outcomes[kind];
  tale.iterate(loop, outcome, 'tree', 1, { account, hold: { kind, untilMs, detail: kind } });
}

const holdOf = (tale: Tale, account = 'a') => tale.state().accounts[account]?.hold;

describe('chooseAgent', () => {
  it('takes the next agent while the first is held, and the first again afterwards', () => {
    const { tale, loops } = begun();
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({ kind: 'go', agent: { name: 'ann' } });
    hold(tale, loops[0], 'limit', FAR_MS);
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({ kind: 'go', agent: { name: 'bob' } });
    tale.write({ type: 'account-resumed', account: 'a', untilMs: Number.MAX_SAFE_INTEGER });
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({ kind: 'go', agent: { name: 'ann' } });
  });

  it('waits for whoever is free first, and is shut only when every one needs a person', () => {
    const { tale, loops } = begun();
    hold(tale, loops[0], 'auth', null);
    hold(tale, loops[1], 'limit', FAR_MS, 'b');
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({
      kind: 'wait',
      account: 'b',
      untilMs: FAR_MS,
    });
    hold(tale, loops[1], 'auth', null, 'b');
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({ kind: 'shut', account: 'a' });
    tale.join('h2');
    expect(chooseAgent(tale.state(), { agents: AGENTS })).toMatchObject({ kind: 'go' });
  });
});

describe('a hold', () => {
  it('without a time ends by itself all the same, unless somebody must log in', () => {
    for (const [kind, isTimed] of [
      ['limit', true],
      ['rate', true],
      ['auth', false],
    ] as const) {
      const { tale, loops } = begun();
      hold(tale, loops[0], kind, null);
      const over = accountsToResume(tale.state(), tale.state().seq * 1000 + 3_600_000);
      expect(over.map((one) => one.account)).toEqual(isTimed ? ['a'] : []);
    }
  });

  it('is not ended by a warning that is over', () => {
    for (const kind of ['limit', 'auth', 'missing'] as const) {
      const { tale, loops } = begun();
      hold(tale, loops[0], 'warning', 1);
      hold(tale, loops[1], kind, FAR_MS);
      expect(accountsToResume(tale.state(), FAR_MS - 1)).toEqual([]);
    }
  });

  it('is over together with a warning that is over too', () => {
    const { tale, loops } = begun();
    hold(tale, loops[0], 'limit', FAR_MS);
    hold(tale, loops[1], 'warning', FAR_MS + 5);
    expect(accountsToResume(tale.state(), FAR_MS)).toMatchObject([{ untilMs: FAR_MS }]);
    const over = accountsToResume(tale.state(), FAR_MS + 5);
    expect(over).toMatchObject([{ untilMs: FAR_MS + 5 }]);
    tale.write(...over);
    expect(tale.state().accounts['a']).toMatchObject({ hold: null, warnedUntilMs: null });
  });

  it('is never shortened by what loops under way meet, and many of them are one strike', () => {
    const notice = fc.record({
      kind: fc.constantFrom<HoldKind>('limit', 'rate', 'auth', 'missing'),
      untilMs: fc.option(fc.integer({ min: 0, max: FAR_MS })),
    });
    fc.assert(
      fc.property(fc.array(notice, { minLength: 1, maxLength: 6 }), (notices) => {
        const { tale, loops } = begun();
        let untilMs = 0;
        for (const [index, { kind, untilMs: told }] of notices.entries()) {
          hold(tale, loops[index % 2 === 0 ? 0 : 1], kind, told);
          const now = holdOf(tale)?.untilMs ?? Number.POSITIVE_INFINITY;
          expect(now).toBeGreaterThanOrEqual(untilMs);
          untilMs = now;
        }
        expect(tale.state().accounts['a']?.strikes).toBe(1);
      }),
    );
  });

  it('grows with every refusal that follows a rest, and starts small again after work', () => {
    const { tale, loops } = begun();
    const rests = [1, 2, 3].map(() => {
      hold(tale, loops[0], 'rate', null);
      const restMs = (holdOf(tale)?.untilMs ?? 0) - tale.state().seq * 1000;
      tale.write({ type: 'account-resumed', account: 'a', untilMs: Number.MAX_SAFE_INTEGER });
      return restMs;
    });
    expect(rests.every((ms, index) => ms >= 7500 * 2 ** index && ms <= 15_000 * 2 ** index)).toBe(true);
    tale.iterate(loops[0], 'worked', 'other', 1, { account: 'a' });
    expect(tale.state().accounts['a']?.strikes).toBe(0);
  });
});

describe('a warning', () => {
  it('halves the slots of who would use that account next, until it is over', () => {
    const { tale, loops } = begun();
    const policy = { ...POLICY, agents: AGENTS, slots: 5 };
    hold(tale, loops[0], 'warning', FAR_MS);
    expect(roomFor(tale.state(), policy)).toBe(3);
    expect(roomFor(tale.state(), { ...policy, agents: AGENTS.slice(1) })).toBe(5);
    expect(accountsToResume(tale.state(), FAR_MS)).toMatchObject([{ account: 'a' }]);
    tale.write({ type: 'account-resumed', account: 'a', untilMs: Number.MAX_SAFE_INTEGER });
    expect(roomFor(tale.state(), policy)).toBe(5);
  });
});

describe('a loop no agent may go on with', () => {
  it('is nobody’s until somebody logged in', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('x'));
    const x = tale.begin('x');
    tale.iterate(x, 'refused', 'tree', 1, { hold: { kind: 'auth', untilMs: null, detail: 'log in' } });
    expect(tale.loop(x)).toMatchObject({ host: null, waitsFor: 'auth', counted: 0, failureStreak: 0 });
    tale.join('h2');
    tale.write({ type: 'loop-adopted', loop: x, host: hostId('h2'), slot: 1 });
    expect(tale.loop(x)).toMatchObject({ host: 'h2', waitsFor: null });
  });
});

describe('an account', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('may be called %s', (account) => {
    const tale = tellTale();
    tale.join('h1', { agents: [{ name: account, account }] });
    tale.read(task('a'));
    expect(chooseAgent(tale.state(), { agents: [{ name: account, account }] }).kind).toBe('go');
    const a = tale.begin('a');
    tale.iterate(a, 'limited', 'x', 1, { account, hold: { kind: 'limit', untilMs: FAR_MS, detail: 'five hours' } });
    expect(chooseAgent(tale.state(), { agents: [{ name: account, account }] }).kind).toBe('wait');
  });
});

describe('a service that never answers', () => {
  it('counts for nothing at first, and as a failure after eight holds in a row', () => {
    const tale = tellTale();
    tale.join('h1', { agents: [{ name: 'ann', account: 'a' }] });
    tale.read(task('a'));
    const a = tale.begin('a');
    const refused = () => {
      const loop = tale.iterate(a, 'throttled', 'x', 1, {
        account: 'a',
        hold: { kind: 'rate', untilMs: null, detail: 'busy' },
      });
      tale.write({ type: 'account-resumed', account: 'a', untilMs: Number.MAX_SAFE_INTEGER });
      return loop;
    };
    for (let n = 1; n < STRIKES_MAX; n += 1) expect(refused()).toMatchObject({ counted: 0, failureStreak: 0 });
    expect(refused()).toMatchObject({ counted: 1, failureStreak: 1 });
    expect(refused().phase).toMatchObject({ at: 'parked', reason: 'failures' });
  });
});
