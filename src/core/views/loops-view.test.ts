import { isoMs } from '../model/describe-time.ts';
import { describe, expect, it } from 'vitest';
import { key, LIMITS, RED, spent, task, tellTale } from '../../../test/sim/tale.ts';
import type { Sha } from '../model/ids.ts';
import { hostId, loopId, sha, taskId, taskKey } from '../model/ids.ts';
import { countRows, isOver, loopRows } from './loops-view.ts';
import { standing } from './standing.ts';
import type { Loop, ParkReason } from '../model/model.ts';
import { promptTracker } from '../model/tasks.ts';

/** Every reason there is: the compiler refuses a list that lacks one. */
const REASONS: Readonly<Record<ParkReason, string>> = {
  iterations: 'resume',
  runtime: 'resume',
  'no-progress': 'resume',
  failures: 'resume',
  budget: 'resume',
  broken: 'resume',
  stopped: 'resume',
  conflict: 'resume',
  red: 'resume',
  'base-parked': 'ralph land a-1',
  ejected: 'ralph land a-1',
  protected: 'ralph land a-1',
  'too-large': 'ralph land a-1',
  duplicate: 'diff',
  tampered: 'diff',
  'pull-request': 'ralph pr show a-1',
  blocked: 'logs',
  reset: 'discard',
  replaced: 'discard',
  discarded: 'ralph keep list',
};

describe('loopRows', () => {
  it('scenario 1: every state has its word, is counted, and has a next command', () => {
    const tale = tellTale();
    const at = Date.now();
    tale.join('h1', { slots: 9 });
    tale.join('h2', { mergePolicy: 'manual' });
    tale.read(...['merged', 'merging', 'queued', 'ready', 'running', 'died', 'gone'].map((id) => task(id)));
    tale.land(tale.ready('merged'), 'abcdef0123456789');
    const merging = tale.ready('merging');
    tale.startLanding();
    tale.build([[merging, 'l']]);
    tale.ready('queued');
    tale.ready('ready', { host: 'h2' });
    tale.begin('died', { host: 'h2' });
    tale.write({ type: 'host-lost', host: hostId('h2') });
    tale.begin('running');
    tale.write({ type: 'loop-discarded', loop: tale.begin('gone', { slot: 2 }), kept: null });
    const rows = loopRows(tale.state(), at);
    expect(Object.fromEntries(rows.map((row) => [row.task, [row.state, row.next]]))).toEqual({
      merged: ['landed', 'git show abcdef012345'],
      merging: ['landing', 'ralph queue --watch'],
      queued: ['landing', 'ralph queue --watch'],
      ready: ['ready', 'ralph land ready-4'],
      died: ['stopped', 'ralph loops resume died-5'],
      running: ['at-work', 'ralph loops logs running-6 -f'],
      gone: ['discarded', 'ralph keep list'],
    });
    const counts = { 'at-work': 1, stopped: 1, ready: 1, landing: 2, landed: 1, discarded: 1 };
    expect(countRows(rows)).toEqual(Object.entries(counts));
    expect(rows.filter(isOver).map((row) => row.task)).toEqual(['merged', 'gone']);
    expect(rows[0]).toMatchObject({
      commit: 'abcdef0123456789',
      gates: 'green',
      pid: null,
      age_ms: at - Date.parse(rows[0]?.started_at ?? ''),
    });
    tale.write({ type: 'host-lost', host: hostId('h1') });
    const dead = loopRows(tale.state(), at);
    expect(dead.map((row) => row.state)).not.toContain('at-work');
    expect(dead.find((row) => row.task === 'queued')?.next).toBe('ralph land --all');
    tale.write({ type: 'queue-paused' });
    expect(loopRows(tale.state(), at).find((row) => row.task === 'queued')?.next).toBe('ralph queue resume');
  });

  it('of what was rebased or changed by hand since, the gates have said nothing', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'manual' });
    tale.read(task('a'));
    const { head, branch } = tale.loop(tale.ready('a'));
    const gates = (tip: Sha | null) => loopRows(tale.state(), 0, (name) => (name === branch ? tip : null))[0]?.gates;
    expect([gates(head), gates(null), gates(sha('f'.repeat(40)))]).toEqual(['green', 'green', null]);
  });

  it('scenario 2: tells age, iterations, gates, cost, place, and the first line of what was asked for', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a b', { title: 'First line\nsecond' }));
    const id = tale.begin('a b');
    const fresh = loopRows(tale.state(), 0)[0];
    expect(fresh).toMatchObject({ iterations: 1, gates: null, cost_usd: null, age_ms: 0 });
    tale.iterate(id, 'worked', 't', 1000, { usage: spent(0.5, 10) });
    tale.iterate(id, 'claimed', 'u', 1000, { usage: spent(0.25, 10) });
    tale.gate(id, RED);
    const { claimedAt } = tale.loop(id);
    expect(loopRows(tale.state(), claimedAt + 90_000)).toEqual([
      {
        id: 'a b-1',
        state: 'at-work',
        reason: 'iterating',
        why: 'iteration 3',
        next: "ralph loops logs 'a b-1' -f",
        others: [
          'ralph loops steer \'a b-1\' "what it should know"',
          "ralph loops stop 'a b-1'",
          "ralph loops diff 'a b-1'",
          "ralph tasks reset 'a b'",
          "ralph loops discard 'a b-1'",
        ],
        task: 'a b',
        title: 'First line',
        prompt: 'First line\nsecond',
        agent: 'scripted',
        started_at: isoMs(claimedAt),
        age_ms: 90_000,
        iterations: 3,
        gates: 'red',
        cost_usd: 0.75,
        cost_kind: 'billed',
        branch: 'ralph/a b-1',
        place: 'worktree',
        worktree: '/w/a b-1',
        commit: null,
        pid: 1,
      },
    ]);
    tale.write({ type: 'host-stopped', host: hostId('h1') });
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({
      state: 'stopped',
      reason: 'suspended',
      next: 'kill -CONT 1',
      iterations: 3,
    });
    // Its host stopped in order: a third iteration never began.
    tale.write({ type: 'host-left', host: hostId('h1') });
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({ state: 'stopped', reason: 'host-stopped', iterations: 2 });
  });

  it('scenario 4: whatever it was put aside for, the next command is named', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const id = tale.ready('a');
    for (const [reason, next] of Object.entries(REASONS) as [ParkReason, string][]) {
      const loop: Loop = { ...tale.loop(id), phase: { at: 'parked', reason, detail: '', paths: [] } };
      const { next: command, ...stands } = standing(tale.state(), loop);
      const others: Partial<Record<ParkReason, object>> = {
        stopped: { state: 'stopped', reason: 'you' },
        discarded: { state: 'discarded', reason: null },
      };
      expect(stands).toMatchObject(others[reason] ?? { state: 'parked', reason });
      expect(command).toBe(next.startsWith('ralph') ? next : `ralph loops ${next} a-1`);
    }
  });

  it('scenario 3: an in-place loop says so; one that waits says for what', () => {
    const tale = tellTale();
    tale.join('h1', { place: { at: 'checkout', path: '/c', branch: null } });
    tale.read(task('a'));
    const id = tale.begin('a');
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({ place: 'in-place' });
    tale.write({ type: 'loop-released', loop: id, fence: tale.loop(id).fence, why: 'auth' });
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({
      state: 'waiting',
      reason: 'auth',
      why: 'no agent can work now',
      next: 'ralph agents check scripted',
    });
    tale.write({ type: 'task-reset', task: key('a') });
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({ state: 'parked', reason: 'reset' });
    expect(loopRows(tellTale().state(), 0)).toEqual([]);
  });

  it('scenario 35: what its host gave back and what it died with is stopped, each with its reason, until it goes on', () => {
    const tale = tellTale();
    const seen = () => loopRows(tale.state(), 0).map(({ state, reason, next }) => [reason ?? state, next]);
    const prompt = { type: 'tasks-read', tracker: promptTracker('p'), digest: 'd', tasks: [task('p')] } as const;
    tale.join('h1');
    tale.join('h2', { tracker: prompt.tracker });
    tale.read(task('a'));
    const [a, p] = [tale.begin('a'), loopId('p-2')];
    const claim = { host: hostId('h2'), slot: 1, branch: 'ralph/p-2', onto: [] };
    tale.write(prompt, { type: 'task-claimed', loop: p, task: taskKey(prompt.tracker, taskId('p')), ...claim });
    tale.write(...(['h1', 'h2'] as const).map((id) => ({ type: 'host-draining', host: hostId(id) }) as const));
    expect(seen().map(([reason]) => reason)).toEqual(['iterating', 'preparing']);
    tale.write(...(['h1', 'h2'] as const).map((id) => ({ type: 'host-left', host: hostId(id) }) as const));
    expect(seen()).toEqual([
      ['host-stopped', 'ralph loops resume a-1'],
      ['host-stopped', 'ralph loops resume p-2'],
    ]);
    tale.join('h3');
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h3'), slot: 1 });
    tale.write({ type: 'host-lost', host: hostId('h3') });
    expect(seen()[0]).toEqual(['host-died', 'ralph loops resume a-1']);
    tale.join('h4');
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h4'), slot: 1 });
    tale.write({ type: 'host-left', host: hostId('h4') });
    expect(seen()[0]).toEqual(['host-stopped', 'ralph loops resume a-1']);
  });

  it('what another loop does by now is nobody’s to mend', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...LIMITS, attempts: 2 } });
    tale.read(task('a'));
    tale.iterate(tale.begin('a'), 'timed-out');
    expect(loopRows(tale.state(), 0)[0]).toMatchObject({ state: 'parked', next: 'ralph loops resume a-1' });
    tale.begin('a');
    const [first, second] = loopRows(tale.state(), 0);
    expect(first).toMatchObject({ state: 'parked', reason: 'runtime', next: 'ralph loops discard a-1' });
    expect(second).toMatchObject({ state: 'at-work' });
  });
});
