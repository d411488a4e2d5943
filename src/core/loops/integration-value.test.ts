import { describe, expect, it } from 'vitest';
import { key, tellTale, task } from '../../../test/sim/tale.ts';
import { hostId, loopId, sha } from '../model/ids.ts';
import type { ValueFacts } from './integration-value.ts';
import { knownOf, standingOf, vouchedFor } from './integration-value.ts';
import { schedule } from '../plan/schedule.ts';
import { wishes } from '../plan/wishes.ts';

const H1 = hostId('h1');
const NOBODYS: ValueFacts = { isTargets: false, holdsKnown: false, isTakenBack: false, landed: null };
const known = { head: sha('a'), granted: [sha('b')] };
const at = (head: string | null, facts: Partial<ValueFacts> = {}) =>
  standingOf(known, { head: head === null ? null : sha(head), facts: { ...NOBODYS, ...facts } });

function landing() {
  const tale = tellTale();
  tale.join('h1', { publish: 'each' });
  tale.read(task('a'), task('b'));
  tale.write({ type: 'integration-moved', head: sha('main'), users: true });
  const a = tale.ready('a');
  tale.startLanding('h1');
  tale.build([[a, 'c1']]);
  tale.test('c1-tree');
  return tale;
}

const types = (tale: ReturnType<typeof tellTale>) => wishes(tale.state(), H1).map(({ type }) => type);

describe('a value of integration', () => {
  it('may be where the log has it, let it go, or where the user went on from there', () => {
    expect([at('a'), at('b'), at('u', { isTargets: true, holdsKnown: true })]).toEqual(['known', 'landed', 'users']);
    expect(at('u', { isTargets: true, isTakenBack: true })).toBe('users');
    expect(standingOf({ head: null, granted: [] }, { head: null, facts: null })).toBe('known');
  });

  it('is strange anywhere else: ahead, gone, or back to where the target is', () => {
    expect([at('x'), at(null), at('x', { holdsKnown: true }), at('u', { isTargets: true })]).toEqual(
      Array.from({ length: 4 }, () => 'strange'),
    );
  });
});

describe('what the log vouches for', () => {
  it('is a commit from the moment it may move there, and after a crash its landing is believed', () => {
    const tale = landing();
    expect(knownOf(tale.state())).toEqual({ head: sha('main'), granted: [sha('c1')] });
    tale.write({ type: 'host-lost', host: H1 });
    tale.write({ type: 'integration-moved', head: sha('c1') });
    expect([tale.state().proof, tale.state().granted]).toEqual(['landed', []]);
  });

  it('nothing moves and nothing is published while something else is there, and it goes back to what landed', () => {
    const tale = landing();
    tale.write({ type: 'integration-advanced', fence: tale.state().landing?.fence ?? 0, commit: sha('c1') });
    expect(types(tale)).toContain('publish');
    tale.write({ type: 'integration-intruded', head: sha('x') });
    expect(types(tale)).not.toContain('publish');
    expect(wishes(tale.state(), H1)).toContainEqual({
      type: 'put-back-integration',
      key: 'put-back:x',
      found: sha('x'),
      to: sha('c1'),
    });
    tale.write({ type: 'integration-put-back', found: sha('x'), to: sha('c1'), kept: 'k' });
    expect([tale.state().integration, types(tale).includes('publish')]).toEqual([sha('c1'), true]);
  });

  it('a train built before integration moved does not take it back: it is built anew', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.write({ type: 'integration-moved', head: sha('main'), users: true });
    const a = tale.ready('a');
    tale.startLanding('h1');
    const build = tale.state().landing?.build ?? 0;
    tale.write({ type: 'integration-moved', head: sha('u'), users: true });
    tale.build([[a, 'c1']], { base: sha('main'), build });
    expect([tale.state().integration, tale.state().proof, tale.state().landing?.stage.at]).toEqual([
      sha('u'),
      'user',
      'building',
    ]);
    expect(wishes(tale.state(), H1)).toContainEqual(expect.objectContaining({ type: 'build-train', build: build + 1 }));
  });

  it('a train goes when integration is put back to another base', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.startLanding('h1');
    tale.build([[a, 'c1']]);
    tale.write({ type: 'integration-intruded', head: sha('x') });
    tale.write({ type: 'integration-put-back', found: sha('x'), to: sha('t'), kept: 'k' });
    expect([tale.state().integration, tale.state().landing]).toEqual([sha('t'), null]);
  });

  it('an older record without a reason is not published', () => {
    const tale = landing();
    tale.write({ type: 'integration-moved', head: sha('x') });
    expect([tale.state().integration, tale.state().proof, vouchedFor(tale.state(), 'main').head]).toEqual([
      sha('x'),
      null,
      null,
    ]);
    expect(types(tale)).not.toContain('publish');
  });

  it('each target has its own', () => {
    const tale = landing();
    tale.write({ type: 'integration-advanced', fence: tale.state().landing?.fence ?? 0, commit: sha('c1') });
    tale.join('h2', { target: 'dev' });
    expect(tale.state().integration).toBeNull();
    expect(vouchedFor(tale.state(), 'main').head).toBe(sha('c1'));
    tale.join('h3', { target: 'main' });
    expect([tale.state().integration, tale.state().proof]).toEqual([sha('c1'), 'landed']);
  });
});

describe('what a lost log left', () => {
  const unknown = { type: 'integration-unknown', head: sha('x'), tree: sha('x-tree') } as const;
  const tested = (verdict: 'green' | 'red', again: number) =>
    ({
      type: 'integration-tested',
      host: H1,
      head: sha('x'),
      tree: sha('x-tree'),
      again,
      report: { verdict, failing: verdict === 'red' ? 'npm test' : null, tail: '' },
      durationMs: 1,
    }) as const;

  function lost() {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    tale.write(unknown);
    return tale;
  }

  it('is tested before anything begins, and green it counts', () => {
    const tale = lost();
    expect([types(tale), schedule(tale.state(), H1).starts]).toEqual([['test-integration'], []]);
    tale.write(tested('green', 0));
    expect([tale.state().integration, tale.state().proof, tale.state().suspect]).toEqual([sha('x'), 'landed', null]);
    expect(schedule(tale.state(), H1).starts).toHaveLength(1);
  });

  it('its landings count where it does: not where integration was found elsewhere while it was tested', () => {
    const landings = [{ task: key('a'), loop: loopId('past-1'), commit: sha('x'), at: 1 }];
    const found = { type: 'landings-found', head: sha('x'), landings } as const;
    const moved = lost();
    moved.write({ ...unknown, head: sha('y') });
    moved.write(tested('green', 0), found);
    expect([moved.state().integration, moved.state().landed]).toEqual([null, {}]);
    const tale = lost();
    tale.write(tested('green', 0), found);
    expect(Object.keys(tale.state().landed)).toEqual([key('a')]);
  });

  it('red twice it goes, and integration is at the target', () => {
    const tale = lost();
    tale.write(tested('red', 0));
    expect(types(tale)).toEqual(['test-integration']);
    tale.write(tested('red', 1));
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'put-back-integration', found: sha('x'), to: null }]);
    tale.write({ type: 'integration-put-back', found: sha('x'), to: sha('t'), kept: 'k' });
    expect([tale.state().integration, tale.state().proof, tale.state().putBacks[0]?.failing]).toEqual([
      sha('t'),
      'user',
      'npm test',
    ]);
  });

  it('refs of a train that are gone are made again from its cars', () => {
    const tale = landing();
    const b = tale.ready('b', { slot: 2 });
    tale.write({ type: 'integration-advanced', fence: tale.state().landing?.fence ?? 0, commit: sha('c1') });
    tale.startLanding('h1');
    tale.build([[b, 'c2']]);
    const fence = tale.state().landing?.fence ?? 0;
    tale.write({ type: 'train-refs-lost', fence, commits: [sha('c2')] });
    expect(wishes(tale.state(), H1)).toContainEqual(
      expect.objectContaining({
        type: 'build-train',
        build: 2,
        keep: [expect.objectContaining({ commit: sha('c2') })],
      }),
    );
  });
});
