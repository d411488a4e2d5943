import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './beads-answer.ts';
import type { BeadsAnswer } from './beads-answer.ts';

interface Recorded {
  readonly case: string;
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const VERSIONS = ['1.3.0', '1.0.5', '0.47.1'] as const;
const recorded = new Map(
  VERSIONS.map((version) => {
    const file = new URL(`../../../test/fixtures/beads/${version}.json`, import.meta.url);
    return [version, JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[]];
  }),
);
const answer = (version: (typeof VERSIONS)[number], name: string): Recorded => {
  const found = recorded.get(version)?.find((one) => one.case === name);
  if (found === undefined) throw new Error(`no answer ${name} of ${version}`);
  return found;
};
/** Both streams, as whoever runs `bd` reads them. */
const read = (version: (typeof VERSIONS)[number], name: string): BeadsAnswer & { readonly ok: boolean } => {
  const { stdout, stderr, exit } = answer(version, name);
  const [said, told] = [readAnswer(stdout), readAnswer(stderr)];
  return { ...said, error: said.error ?? told.error, ok: exit === 0 };
};

describe('36. answers that bd gave', () => {
  for (const version of VERSIONS) {
    it(`${version}: lists, shown issues and envelopes are issues`, () => {
      const all = read(version, 'list-all-json').beads;
      expect(all.length).toBeGreaterThan(5);
      const child = all.find(({ title }) => title === 'Implement A');
      expect(child).toMatchObject({
        status: 'open',
        type: 'task',
        priority: 1,
        acceptance: '- [ ] works\n- [ ] tested',
      });
      expect(child?.labels).toEqual(['area:x', 'group:auth']);
      expect(read(version, 'list-envelope').beads).toHaveLength(1);
      for (const name of ['show-one', 'show-envelope']) {
        const [shown] = read(version, name).beads;
        expect(shown?.id).toBe(child?.id);
        expect(shown?.parent).toBe(all.find(({ type }) => type === 'epic')?.id);
        expect(shown?.links).toEqual([{ on: shown?.parent, type: 'parent-child', status: 'open' }]);
      }
      expect(read(version, 'show-two').beads).toHaveLength(2);
      expect(read(version, 'ready-n0').beads.length).toBeGreaterThan(3);
      expect(read(version, 'create-child-json').beads[0]?.title).toBe('Implement A');
      expect(read(version, 'create-discovered').beads).toHaveLength(1);
      expect(read(version, 'export-stdout').beads.length).toBeGreaterThan(5);
    });

    it(`${version}: a claim names its actor, and a lost one names none`, () => {
      expect(read(version, 'claim-w1').beads[0]).toMatchObject({ assignee: 'w1', status: 'in_progress' });
      for (const name of ['claim-other-actor', 'claim-other-actor-envelope', 'claim-missing'])
        expect(read(version, name).beads, name).toEqual([]);
      expect(read(version, 'show-missing').beads).toEqual([]);
      expect(read(version, 'close-A').beads[0]).toMatchObject({ status: 'closed' });
      expect(read(version, 'close-blocked').beads).toEqual([]);
    });

    it(`${version}: text instead of JSON is no issue`, () => {
      expect(read(version, 'update-nothing')).toMatchObject({ beads: [], isJson: false });
      expect(read(version, 'nodb-list-json')).toMatchObject({ beads: [], isJson: false, ok: false });
    });
  }

  it('says what was wrong, on either stream', () => {
    expect(read('1.3.0', 'claim-other-actor').error).toBe('updating issue: issue already claimed by w1');
    expect(read('1.3.0', 'heartbeat-not-owner').error).toMatch(/already claimed by w1$/);
    expect(read('1.3.0', 'close-missing').error).toMatch(/no issue found matching/);
  });

  it('tells when a lease ends, and when what an issue depends on is only counted', () => {
    expect(read('1.3.0', 'claim-w1').beads[0]?.leaseEndsMs).toBe(Date.parse('2026-11-18T02:32:09Z'));
    const [first] = read('0.47.1', 'list-all-json').beads.filter(({ title }) => title === 'Implement B');
    expect(first?.links).toBeNull();
  });

  it.each([
    ['', [], false],
    ['null', [], true],
    ['[]', [], true],
    ['{"schema_version":1,"data":[{"id":"x"}]}', ['x'], true],
    ['{"id":"x","schema_version":1}', ['x'], true],
    ['Note: showing 1\n[\n {"id":"x"}\n]', ['x'], true],
    ['{"id":"x"}\n{"id":"y"}\n', ['x', 'y'], true],
    ['[1, "x", null, {"id":5}, {"id":""}, {"id":"x"}]', ['x'], true],
    ['{"broken', [], false],
  ])('%j', (text, ids, isJson) => {
    expect(readAnswer(text)).toMatchObject({ isJson, error: null });
    expect(readAnswer(text).beads.map(({ id }) => id)).toEqual(ids);
  });
});
