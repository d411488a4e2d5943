import { describe, expect, it } from 'vitest';
import { task, tellTale } from '../../test/sim/tale.ts';
import { completeEvent, completeState } from './complete-event.ts';
import type { Event } from './events.ts';
import type { State } from './model.ts';
import { NO_USAGE } from './usage.ts';

const early = (event: object): Event => event as Event;

describe('completeEvent', () => {
  it('fills in what a policy lacked before there were accounts and budgets', () => {
    const policy = { agent: 'claude', slots: 2, limits: { iterations: 5 } };
    expect(completeEvent(early({ type: 'host-joined', policy }))).toMatchObject({
      policy: {
        slots: 2,
        agents: [{ name: 'claude', account: 'claude' }],
        budget: { maxCostUsd: null, maxTokens: null },
        limits: { iterations: 5, maxCostUsd: null, maxTokens: null, logMb: 64, outputMb: 2048 },
      },
    });
  });

  it('fills in what iterations and gates lacked', () => {
    expect(completeEvent(early({ type: 'iteration-ended', n: 1 }))).toMatchObject({
      n: 1,
      usage: NO_USAGE,
      failure: null,
      hold: null,
      guided: 0,
    });
    expect(completeEvent(early({ type: 'gates-ended', n: 1 }))).toMatchObject({ n: 1, protected: [] });
  });

  it('changes nothing that is there', () => {
    const event = early({
      type: 'iteration-ended',
      agent: 'a',
      account: 'b',
      usage: { ...NO_USAGE, turns: 3 },
      guided: 4,
    });
    expect(completeEvent(event)).toMatchObject(event);
  });
});

describe('completeState', () => {
  it('makes a kept state of an older version whole, and leaves a new one as it is', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.begin('a');
    const now = tale.state();
    expect(completeState(now)).toEqual(now);
    const { accounts: _a, run: _r, proposals: _p, ...rest } = now;
    const loops = Object.fromEntries(
      Object.entries(rest.loops).map(([id, { usage: _u, guidance: _g, spends: _s, ...loop }]) => [id, loop]),
    );
    expect(completeState({ ...rest, loops } as unknown as State)).toEqual({
      ...now,
      run: { isOpen: false, since: 0, usage: now.run.usage, overspent: null },
    });
  });
});
