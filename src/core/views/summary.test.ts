import { describe, expect, it } from 'vitest';
import { POLICY, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { EXIT } from '../model/errors.ts';
import { hostId, loopId, sha, taskId, taskKey } from '../model/ids.ts';
import { summarize } from './summary.ts';
import { promptTracker } from '../model/tasks.ts';

const sum = (tale: Tale) => summarize(tale.state(), POLICY);

function landed(): Tale {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  tale.land(tale.ready('a'));
  return tale;
}

describe('summarize', () => {
  it('counts nothing before anything happened', () => {
    const tale = tellTale();
    expect(sum(tale)).toMatchObject({ landed: [], parked: [], publish: { state: 'nothing' }, exit: EXIT.ok });
  });

  it('is fine when all landed or is ready', () => {
    const tale = landed();
    tale.ready('b');
    expect(sum(tale)).toMatchObject({ landed: [{ task: 'a', commit: 'c' }], ready: [{ task: 'b' }], exit: EXIT.ok });
    expect(sum(tale).publish).toEqual({ state: 'pending' });
    tale.write({ type: 'published', to: sha('c') });
    expect(sum(tale).publish).toEqual({ state: 'published' });
  });

  it('is not fine when something is parked, with its reason and the next command', () => {
    const tale = landed();
    tale.iterate(tale.begin('b'), 'timed-out');
    expect(sum(tale)).toMatchObject({
      parked: [{ task: 'b', reason: 'runtime', next: 'ralph loops resume b-2' }],
      exit: EXIT.parked,
    });
  });

  it('has nothing left where a person threw the rest away, and does not call that done', () => {
    const tale = landed();
    const b = tale.ready('b');
    tale.write({ type: 'loop-discarded', loop: b, kept: 'k' });
    for (const slots of [0, POLICY.slots]) {
      const { landed: done, parked, discarded, open, exit } = summarize(tale.state(), { ...POLICY, slots });
      expect([done, parked, discarded, open].map((some) => some.map((one) => one.task))).toEqual([
        ['a'],
        [],
        ['b'],
        [],
      ]);
      expect([discarded[0]?.state, exit]).toEqual(['discarded', EXIT.ok]);
    }
  });

  it('has nothing left where another host is at work, for who only lands', () => {
    const tale = landed();
    tale.begin('b');
    const { at_work: atWork, stopped, exit } = summarize(tale.state(), { ...POLICY, slots: 0 });
    expect([atWork.map(({ task }) => task), stopped, exit]).toEqual([['b'], [], EXIT.ok]);
  });

  it('tells who only lands of no prompt that another command landed in the same run', () => {
    const tale = tellTale();
    tale.join('h1');
    const prompts = ['p', 'q'].map((id) => {
      tale.write({ type: 'tasks-read', tracker: promptTracker(id), digest: 'd', tasks: [task(id)] });
      const [loop, host] = [loopId(id), hostId('h1')];
      const key = taskKey(promptTracker(id), taskId(id));
      tale.write({ type: 'task-claimed', loop, task: key, host, slot: 1, branch: `ralph/${id}`, onto: [] });
      return loop;
    });
    const land = (at: number) => {
      const [loop = loopId('')] = prompts.slice(at);
      const item = { task: tale.loop(loop).task, loop, commit: sha(`c${at}`), at: 1 };
      return tale.write({ type: 'landings-found', landings: [item] });
    };
    const before = land(0);
    const after = land(1);
    const told = (then: typeof before | null) =>
      summarize(after, { ...POLICY, slots: 0 }, then).landed.map((line) => line.task);
    expect([told(null), told(before)]).toEqual([['p', 'q'], ['q']]);
  });

  it('is not fine when a loop was interrupted', () => {
    const tale = landed();
    tale.begin('b');
    tale.write({ type: 'host-left', host: hostId('h1') });
    expect(sum(tale)).toMatchObject({ stopped: [{ task: 'b', reason: 'host-stopped' }], exit: EXIT.parked });
  });

  it('needs a person when landing stopped or publishing is blocked', () => {
    const tale = landed();
    tale.write({ type: 'publish-blocked', to: sha('c'), why: 'a dirty file', paths: ['x'] });
    expect(sum(tale)).toMatchObject({ publish: { state: 'blocked', why: 'a dirty file' }, exit: EXIT.needsPerson });
    tale.ready('b');
    const fence = tale.startLanding();
    tale.write({ type: 'upstream-conflicted', fence, head: sha('u'), paths: ['x.ts', 'y.ts'] });
    expect(sum(tale).trouble).toBe('what landed and the new commits on the target conflict: x.ts, y.ts');
    expect(sum(tale).exit).toBe(EXIT.needsPerson);
  });

  it('says why a task still waits', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a', { deps: ['b'] }), task('b', { status: 'blocked', blockedReason: 'asks for a key' }));
    expect(sum(tale)).toMatchObject({
      open: [{ task: 'a', why: 'waits for b' }],
      blocked: [{ task: 'b', why: 'asks for a key' }],
    });
  });
});
