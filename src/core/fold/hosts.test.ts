import { describe, expect, it } from 'vitest';
import { task, tellTale } from '../../../test/sim/tale.ts';
import { leaderOf } from './hosts.ts';
import { hostId } from '../model/ids.ts';
import { isSpent, schedule } from '../plan/schedule.ts';
import { wishes } from '../plan/wishes.ts';

const [FIRST, SECOND] = [hostId('h1'), hostId('h2')];

function twoHosts() {
  const tale = tellTale();
  tale.join('h1');
  tale.join('h2');
  tale.read(task('a'), task('b'));
  return tale;
}

describe('a suspended host', () => {
  it('keeps its loops but neither its train nor the lead, and wishes nothing until it wakes', () => {
    const tale = twoHosts();
    tale.ready('b');
    const a = tale.begin('a');
    tale.write({ type: 'landing-started', host: FIRST });
    expect(tale.state().landing?.host).toBe(FIRST);
    tale.write({ type: 'host-stopped', host: FIRST });
    expect(tale.state().landing).toBeNull();
    expect(leaderOf(tale.state())).toBe(SECOND);
    expect(tale.loop(a).host).toBe(FIRST);
    expect(wishes(tale.state(), FIRST)).toEqual([]);
    expect(schedule(tale.state(), SECOND).adopts).toEqual([]);
    tale.write({ type: 'host-woke', host: FIRST });
    expect(wishes(tale.state(), FIRST)).toMatchObject([{ type: 'run-iteration', loop: a }]);
    expect(leaderOf(tale.state())).toBe(FIRST);
  });

  it('is not waited for', () => {
    const tale = twoHosts();
    tale.begin('a');
    tale.begin('b', { slot: 2 });
    expect(isSpent(tale.state(), SECOND)).toBe(false);
    tale.write({ type: 'host-stopped', host: FIRST });
    expect(isSpent(tale.state(), SECOND)).toBe(true);
  });

  it('that is about to end only loses its train', () => {
    const tale = twoHosts();
    tale.ready('b');
    tale.write({ type: 'landing-started', host: FIRST }, { type: 'host-draining', host: FIRST });
    tale.write({ type: 'host-stopped', host: FIRST }, { type: 'host-stopped', host: hostId('unknown') });
    expect(tale.state()).toMatchObject({ landing: null, hosts: { h1: { state: 'draining' } } });
    tale.write({ type: 'host-woke', host: FIRST });
    expect(tale.state().hosts[FIRST]?.state).toBe('draining');
  });
});
