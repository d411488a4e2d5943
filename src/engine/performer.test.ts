import { describe, expect, it } from 'vitest';
import type { Command } from '../core/model/commands.ts';
import { AppError } from '../core/model/errors.ts';
import type { Event } from '../core/model/events.ts';
import { sha } from '../core/model/ids.ts';
import type { GateReport, HostPolicy, State } from '../core/model/model.ts';
import { EMPTY_STATE } from '../core/model/model.ts';
import type { World } from '../world/contract/world.ts';
import { createPerformer } from './performer.ts';
import { excuse } from './trouble/disk-pressure.ts';

const TO = sha('a'.repeat(40));
const PUBLISH: Command = { type: 'publish', key: 'publish', to: TO };
const TEST = { type: 'test-candidate', key: 'test', fence: 1, commit: TO, tree: TO } as const;
const CANDIDATE: Command = { ...TEST, again: 0, timeoutMs: null };
const NO_ROOM: GateReport = { verdict: 'red', failing: 'make', tail: 'cc: No space left on device' };

/** A world that publishes and tests, and in which time passes when it is told to. */
function stage() {
  const scene = {
    publish: (): { outcome: 'published' } => ({ outcome: 'published' }),
    report: NO_ROOM,
    freeMb: 1000,
    awakeMs: 0,
    troubleMs: -1,
    told: [] as string[],
    state: EMPTY_STATE as State,
    tip: (_branch: string): Promise<never> => Promise.reject(new Error('no branch')),
  };
  const world = {
    clock: { awakeMs: () => scene.awakeMs, nowMs: () => 0 },
    disk: { freeMb: () => scene.freeMb },
    publish: async () => scene.publish(),
    worktrees: {
      tip: (branch: string) => scene.tip(branch),
    },
    gates: {
      withWorktree: (_at: string, act: (path: string) => unknown) => act('/w'),
      run: async () => ({ report: scene.report, durationMs: 1, clean: true }),
    },
  } as unknown as World;
  let ring = (): void => undefined;
  const context = {
    world,
    policy: { limits: { freeMb: 512 } } as HostPolicy,
    state: () => scene.state,
    onSettled: () => ring(),
    disk: {
      tell: () => void scene.told.push('full'),
      over: () => void scene.told.push('over'),
      note: () => {
        scene.troubleMs = scene.awakeMs;
      },
      wasSince: (awakeMs: number) => scene.troubleMs >= awakeMs,
    },
  } as unknown as Parameters<typeof createPerformer>[0];
  const performer = createPerformer(context);
  /** The next time something has ended. */
  const rung = (): Promise<void> =>
    new Promise((resolve) => {
      ring = resolve;
    });
  /** Performs, and waits for the end if anything was begun. */
  const perform = async (command: Command): Promise<readonly Event[] | 'waits'> => {
    const ended = rung();
    performer.perform([command]);
    if (performer.isIdle()) return 'waits';
    await ended;
    return performer.takeSettled();
  };
  return { scene, perform, performer, rung };
}

const enospc = (): never => {
  throw new AppError('E_GIT', 'git failed', { facts: ['fatal: write error: No space left on device'] });
};

describe('what lacks room', () => {
  it('is no failure: it is told, tried again after a while, and then done', async () => {
    const { scene, perform } = stage();
    const { publish } = scene;
    scene.publish = enospc;
    expect(await perform(PUBLISH)).toEqual([]);
    expect(await perform(PUBLISH)).toBe('waits');
    for (let tries = 0; tries < 10; tries += 1) {
      scene.awakeMs += 5000;
      expect(await perform(PUBLISH)).toEqual([]);
    }
    scene.publish = publish;
    scene.awakeMs += 5000;
    expect(await perform(PUBLISH)).toEqual([{ type: 'published', to: TO }]);
    expect(scene.told.at(-1)).toBe('over');
  });

  it('is told from what fails for another reason, unless there was hardly any room meanwhile', async () => {
    const { scene, perform } = stage();
    scene.publish = () => {
      throw new AppError('E_GIT', 'git failed', { facts: ['fatal: bad object'] });
    };
    expect(await perform(PUBLISH)).toMatchObject([{ type: 'publish-blocked' }]);
    expect(scene.told).toEqual([]);
    scene.awakeMs += 5000;
    scene.freeMb = 15;
    expect(await perform(PUBLISH)).toEqual([]);
    scene.awakeMs += 5000;
    scene.freeMb = 16;
    expect(await perform(PUBLISH)).toMatchObject([{ type: 'publish-blocked' }]);
  });

  it('makes gates say nothing about the work, but only where there is no room', async () => {
    const { scene, perform } = stage();
    expect(await perform(CANDIDATE)).toMatchObject([{ type: 'candidate-tested', report: NO_ROOM }]);
    scene.awakeMs += 5000;
    scene.freeMb = 15;
    expect(await perform(CANDIDATE)).toEqual([]);
    scene.awakeMs += 5000;
    scene.report = { ...NO_ROOM, tail: 'expected 1 to be 2' };
    expect(await perform(CANDIDATE)).toMatchObject([{ type: 'candidate-tested', report: { verdict: 'red' } }]);
  });

  it('does not count against the agent', () => {
    const ended = (outcome: string): Event => ({ type: 'iteration-ended', outcome }) as Event;
    expect(['failed', 'lost', 'claimed'].map((outcome) => excuse(ended(outcome)))).toEqual(
      ['interrupted', 'interrupted', 'claimed'].map(ended),
    );
  });

  it('holds new worktrees back', async () => {
    const { scene, perform } = stage();
    const make = { type: 'make-worktree', key: 'make', loop: 'l', fence: 1, branch: 'b', onto: [], head: null };
    scene.state = { ...EMPTY_STATE, disk: { freeMb: 1, floorMb: 100, since: 0 } };
    expect(await perform(make as unknown as Command)).toBe('waits');
    scene.state = EMPTY_STATE;
    expect(await perform(make as unknown as Command)).toMatchObject([{ type: 'command-failed', code: 'BUG' }]);
  });
});

describe('a loop that is stopped and goes on at once', () => {
  const make = (loop: string, fence: number): Command =>
    ({ type: 'make-worktree', key: `make:${loop}:${fence}`, loop, fence, branch: `${loop}:${fence}` }) as never;

  it('begins nothing before what it did is gone', async () => {
    const { scene, performer, rung } = stage();
    const giveUp = new Map<string, () => void>();
    scene.tip = (branch) => new Promise((_resolve, reject) => giveUp.set(branch, () => reject(new Error('stopped'))));
    performer.perform([make('a', 1)]);
    performer.perform([make('a', 2), make('b', 1)]);
    expect([...giveUp.keys()]).toEqual(['a:1', 'b:1']);
    const ended = rung();
    giveUp.get('a:1')?.();
    await ended;
    expect(performer.takeSettled()).toEqual([]);
    performer.perform([make('a', 2), make('b', 1)]);
    expect([...giveUp.keys()]).toEqual(['a:1', 'b:1', 'a:2']);
  });
});
