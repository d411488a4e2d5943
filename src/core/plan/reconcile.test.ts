import { describe, expect, it } from 'vitest';
import { LIMITS, task, tellTale, TRACKER } from '../../../test/sim/tale.ts';
import { hostId, sha } from '../model/ids.ts';
import { knownOf } from '../loops/integration-value.ts';
import type { Observed } from './reconcile.ts';
import { hostsToWatch, reconcile, worktreesToWatch } from './reconcile.ts';

const ME = hostId('h1');
const NOTHING: Observed = {
  nowMs: 0,
  day: null,
  deadHosts: [],
  stoppedHosts: [],
  freeMb: null,
  missingWorktrees: [],
  targetHead: null,
  integration: null,
  unheldCommits: [],
  tracker: null,
};

const KNOWN = { head: null, granted: [] };
const NOBODYS = { isTargets: false, holdsKnown: false, isTakenBack: false, landed: null };
const users = (head: string): Observed['integration'] => ({
  seen: { head: sha(head), facts: { ...NOBODYS, isTargets: true } },
  known: KNOWN,
});

function joined() {
  const tale = tellTale();
  tale.join('h1');
  tale.join('h2');
  tale.read(task('a'), task('b'));
  return tale;
}

describe('reconcile', () => {
  it('writes nothing when nothing was seen, or nothing new', () => {
    const tale = joined();
    tale.write({ type: 'target-moved', head: sha('t') });
    const { digest, tasks } = tale.state().trackers[TRACKER]!;
    expect(reconcile(tale.state(), NOTHING, ME)).toEqual([]);
    const same = { ...NOTHING, targetHead: sha('t'), tracker: { path: TRACKER, digest, tasks } };
    expect(reconcile(tale.state(), same, ME)).toEqual([]);
  });

  it('writes what the log lacks, and then nothing more', () => {
    const tale = joined();
    const a = tale.begin('a');
    const seen: Observed = {
      nowMs: 0,
      day: null,
      deadHosts: [hostId('h2')],
      stoppedHosts: [],
      freeMb: null,
      missingWorktrees: [a],
      targetHead: sha('t'),
      integration: users('i'),
      unheldCommits: [],
      tracker: { path: TRACKER, digest: 'new', tasks: [task('c')] },
    };
    const events = reconcile(tale.state(), seen, ME);
    expect(events.map((event) => event.type)).toEqual([
      'host-lost',
      'tasks-read',
      'target-moved',
      'integration-moved',
      'worktree-lost',
    ]);
    tale.write(...events);
    expect(reconcile(tale.state(), seen, ME)).toEqual([]);
  });

  it('declares neither itself nor an unknown host dead', () => {
    const tale = joined();
    expect(reconcile(tale.state(), { ...NOTHING, deadHosts: [ME, hostId('unknown')] }, ME)).toEqual([]);
  });

  it('tells that another host is suspended', () => {
    const tale = joined();
    const seen = { ...NOTHING, stoppedHosts: [hostId('h2'), ME] };
    const events = reconcile(tale.state(), seen, ME);
    expect(events).toEqual([{ type: 'host-stopped', host: hostId('h2') }]);
    tale.write(...events);
    expect(reconcile(tale.state(), seen, ME)).toEqual([]);
  });

  it('tells of a landing that a host could not tell any more, if something of it was thrown away meanwhile', () => {
    for (const how of ['deadHosts', 'stoppedHosts'] as const) {
      const tale = joined();
      const [a, b] = [tale.ready('a', { host: 'h2' }), tale.ready('b', { host: 'h2', slot: 2 })];
      tale.startLanding('h2');
      tale.build([
        [a, 'c1'],
        [b, 'c2'],
      ]);
      tale.test('c2-tree');
      const at = (head: string): Observed['integration'] => ({
        seen: { head: sha(head), facts: NOBODYS },
        known: knownOf(tale.state()),
      });
      const seen = { ...NOTHING, [how]: [hostId('h2')] };
      const types = (observed: Observed): readonly string[] =>
        reconcile(tale.state(), observed, ME).map(({ type }) => type);
      expect(types({ ...seen, integration: at('c2') })).not.toContain('integration-advanced');
      tale.write({ type: 'loop-discarded', loop: a, kept: 'k' });
      expect(types({ ...seen, integration: at('c1') })).not.toContain('integration-advanced');
      const moved = { ...seen, integration: at('c2') };
      expect(reconcile(tale.state(), { ...moved, [how]: [] }, ME).map(({ type }) => type)).toEqual([
        'integration-moved',
      ]);
      tale.write(...reconcile(tale.state(), moved, ME));
      expect([tale.loop(a).phase.at, tale.loop(b).phase.at, tale.state().landing]).toEqual(['landed', 'landed', null]);
    }
  });

  it('tells of a full disk once, and of room only when there is some to spare', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...LIMITS, freeMb: 100 } });
    const at = (freeMb: number) => reconcile(tale.state(), { ...NOTHING, freeMb }, ME);
    expect(at(100)).toEqual([]);
    expect(at(99)).toEqual([{ type: 'disk-low', freeMb: 99, floorMb: 100 }]);
    tale.write(...at(99));
    expect(at(50)).toEqual([]);
    expect(at(105)).toEqual([]);
    expect(at(110)).toEqual([{ type: 'disk-freed' }]);
  });

  it('speaks of its own loops only, and only while they work', () => {
    const tale = joined();
    const other = tale.begin('a', { host: 'h2' });
    const parked = tale.begin('b');
    tale.iterate(parked, 'timed-out');
    expect(reconcile(tale.state(), { ...NOTHING, missingWorktrees: [other, parked] }, ME)).toEqual([]);
  });
});

describe('what to look at', () => {
  it('every other host, and the worktrees of the own working loops', () => {
    const tale = joined();
    const a = tale.begin('a');
    tale.begin('b', { host: 'h2' });
    expect(hostsToWatch(tale.state(), ME).map((host) => host.id)).toEqual(['h2']);
    expect(hostsToWatch(tale.state(), null)).toHaveLength(2);
    expect(worktreesToWatch(tale.state(), ME)).toEqual([{ loop: a, path: `/w/${a}` }]);
    tale.write({ type: 'worktree-lost', loop: a });
    expect(worktreesToWatch(tale.state(), ME)).toEqual([]);
  });
});
