import { describe, expect, it } from 'vitest';
import { task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import type { LoopId } from '../model/ids.ts';
import { hostId, sha } from '../model/ids.ts';
import type { ForgePolicy, PullSeen } from '../model/pull.ts';
import { hasUnseen, isAwaited, pullWishes, whyNotMerged } from './pull-wishes.ts';
import type { PullWish } from './pull-wishes.ts';

const FORGE: ForgePolicy = {
  host: 'forge.test',
  repository: 'octo/shop',
  remote: 'origin',
  checks: 'required',
  needsReview: false,
  merge: 'merger',
  ciDeadlineMs: 600_000,
  rounds: 2,
  isFollowing: false,
};
const RULES = { target: 'main', forge: FORGE };
const HEAD = sha('head-a');
const NOW = 1_000_000;

const SEEN: PullSeen = {
  state: 'open',
  head: HEAD,
  target: 'main',
  checks: { verdict: 'green', failed: [] },
  checksAt: NOW,
  reviews: [],
  comments: [],
  canMerge: true,
  isDraft: false,
  updated: '2026-01-01T00:00:00Z',
  isSure: true,
};

const review = (state: 'approved' | 'changes', head: string, by = 'rev'): PullSeen['reviews'][number] => ({
  id: `review:${by}${state}${head}`,
  by,
  state,
  head: sha(head),
  counts: true,
  text: '',
});
const comment = (id: string, counts = true): PullSeen['comments'][number] => ({
  id,
  by: 'rev',
  counts,
  text: counts ? 'rename it' : '',
  path: null,
  line: null,
  mark: null,
});

interface Told {
  readonly tale: Tale;
  readonly id: LoopId;
  readonly see: (more?: Partial<PullSeen>) => void;
  readonly wishes: (nowMs?: number) => readonly PullWish['do'][];
  readonly why: (more?: Partial<PullSeen>) => string | null;
}

/** A loop whose pull request is open, with its head pushed. */
function opened(policy: Partial<ForgePolicy> = {}): Told {
  const tale = tellTale();
  tale.join('h1', { mergePolicy: 'pr', forge: { ...FORGE, ...policy } });
  tale.read(task('a'));
  const id = tale.ready('a');
  const { head } = tale.loop(id);
  if (head === null) throw new Error('it has no head');
  tale.write({ type: 'forge-taken', host: hostId('h1') });
  tale.write({ type: 'branch-named', loop: id, from: null, of: head, head: HEAD, isTicked: true });
  tale.write({ type: 'branch-pushed', loop: id, head: HEAD });
  tale.write({ type: 'pull-opened', loop: id, number: 1, url: 'https://forge.test/1' });
  const see: Told['see'] = (more = {}) => void tale.write({ type: 'pull-seen', loop: id, seen: { ...SEEN, ...more } });
  return {
    tale,
    id,
    see,
    wishes: (nowMs = NOW) => pullWishes(tale.state(), hostId('h1'), nowMs).map((wish) => wish.do),
    why: (more = {}) =>
      whyNotMerged(tale.state(), { ...RULES, forge: { ...FORGE, ...policy } }, tale.loop(id), {
        ...SEEN,
        ...more,
      }),
  };
}

describe('a pull request in the log', () => {
  it('goes from green gates to a head, a push, an opening, one after the other', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'pr', forge: FORGE });
    tale.read(task('a'));
    const id = tale.ready('a');
    expect(tale.loop(id).phase.at).toBe('reviewing');
    const wishes = (): readonly string[] => pullWishes(tale.state(), hostId('h1'), NOW).map((wish) => wish.do);
    expect(wishes()).toEqual([]);
    tale.write({ type: 'forge-taken', host: hostId('h1') });
    expect(wishes()).toEqual(['name']);
    const of = tale.loop(id).head;
    if (of === null) throw new Error('it has no head');
    tale.write({ type: 'branch-named', loop: id, from: null, of, head: HEAD, isTicked: true });
    expect(wishes()).toEqual(['push']);
    tale.write({ type: 'branch-pushed', loop: id, head: HEAD });
    expect(wishes()).toEqual(['open']);
    tale.write({ type: 'pull-opened', loop: id, number: 1, url: 'https://forge.test/1' });
    expect(wishes()).toEqual([]);
  });

  it.each([
    ['closed', { state: 'closed' }, 'it is not open'],
    ['another base', { target: 'next' }, 'it goes into next, not into main'],
    ['a draft', { isDraft: true }, 'it is a draft'],
    ['another head', { head: sha('other') }, 'it has another head'],
    ['an unread comment', { comments: [comment('issue:1')] }, 'a comment is not read yet'],
    ['red', { checks: { verdict: 'red', failed: [] } }, 'its checks are red'],
    ['pending', { checks: { verdict: 'pending', failed: [] } }, 'its checks are pending'],
    [
      'no check',
      { checks: { verdict: 'none', failed: [] } },
      'it has no check yet; in a repository without CI: forge.checks = "none"',
    ],
    ['changes wanted', { reviews: [review('approved', HEAD, 'x'), review('changes', HEAD)] }, 'changes are requested'],
    ['a stranger spoke', { comments: [comment('issue:1', false)] }, null],
    ['all is well', {}, null],
  ] as const)('is held back: %s', (_name, more, why) => {
    expect(opened().why(more as Partial<PullSeen>)).toBe(why);
  });

  it('an approval counts for its head, and for one that only had main merged in', () => {
    const { tale, id, why } = opened({ needsReview: true });
    expect(why({ reviews: [review('approved', 'older')] })).toBe('this head has no approval');
    expect(why({ reviews: [review('approved', HEAD)] })).toBeNull();
    const { head: of } = tale.loop(id);
    if (of === null) throw new Error('it has no head');
    const next = sha('head-b');
    tale.write({
      type: 'branch-named',
      loop: id,
      from: HEAD,
      of,
      head: next,
      isTicked: true,
      keeps: true,
    });
    tale.write({ type: 'branch-pushed', loop: id, head: next });
    expect(why({ head: next, reviews: [review('approved', HEAD)] })).toBeNull();
  });

  it('red goes back once for a head; red again on it is for a person, until it turns', () => {
    const { tale, id, see, wishes } = opened();
    const red = {
      checks: { verdict: 'red', failed: [{ id: 'run:1', name: 'ci', url: null }] },
    } as const;
    see(red);
    expect(wishes()).toEqual(['mend']);
    tale.write({
      type: 'pull-returned',
      loop: id,
      head: HEAD,
      why: 'checks',
      detail: 'ci',
      report: null,
      paths: [],
    });
    expect(tale.loop(id).rework).toMatchObject({ kind: 'checks' });
    expect(tale.loop(id).phase.at).not.toBe('reviewing');
    const again = opened();
    again.see(red);
    again.tale.write({
      type: 'pull-parked',
      loop: again.id,
      head: HEAD,
      why: 'unmended',
      detail: 'ci',
    });
    expect(again.tale.loop(again.id).phase).toMatchObject({ at: 'parked', reason: 'pull-request' });
    again.see({ checks: { verdict: 'green', failed: [] } });
    expect(again.tale.loop(again.id).phase.at).toBe('reviewing');
  });

  it('what names another head changes nothing', () => {
    const { tale, id } = opened();
    const before = tale.loop(id);
    tale.write({
      type: 'pull-returned',
      loop: id,
      head: sha('old'),
      why: 'red',
      detail: '',
      report: null,
      paths: [],
    });
    tale.write({ type: 'pull-parked', loop: id, head: sha('old'), why: 'unchecked', detail: '' });
    tale.write({ type: 'branch-moved', loop: id, want: sha('old'), head: null, how: 'gone' });
    tale.write({
      type: 'branch-named',
      loop: id,
      from: sha('old'),
      of: sha('old'),
      head: sha('x'),
      isTicked: true,
    });
    expect(tale.loop(id)).toEqual(before);
  });

  it('merged is believed in every phase, and once', () => {
    const { tale, id, see } = opened();
    see({ state: 'closed' });
    expect(tale.loop(id).phase.at).toBe('parked');
    const merge = { type: 'pull-merged', loop: id, commit: sha('merge'), isProved: false } as const;
    tale.write(merge);
    tale.write({ ...merge, commit: sha('second') });
    expect(tale.loop(id).phase).toEqual({ at: 'landed', commit: 'merge' });
  });

  it('closed is parked, reopened it goes on; a comment goes to the loop once and is answered once', () => {
    const { tale, id, see, wishes } = opened();
    see({ state: 'closed' });
    see();
    expect(tale.loop(id).phase.at).toBe('reviewing');
    see({ comments: [comment('issue:7')] });
    expect(wishes()).toContain('hear');
    tale.write({ type: 'pull-heard', loop: id, comments: ['issue:7'] });
    tale.write({ type: 'pull-heard', loop: id, comments: ['issue:7'] });
    expect(tale.loop(id).pull).toMatchObject({ heard: ['issue:7'], due: ['issue:7'] });
    expect(wishes()).toContain('answer');
    tale.write({ type: 'comment-answered', loop: id, comment: 'issue:7' });
    expect(wishes()).not.toContain('answer');
  });

  it('who takes over neither opens nor answers for a minute, and a forge that asks to wait is left alone', () => {
    const { tale, id, see, wishes } = opened();
    see({ comments: [comment('issue:7')] });
    tale.write({ type: 'pull-heard', loop: id, comments: ['issue:7'] });
    tale.write({ type: 'host-stopped', host: hostId('h1') });
    tale.write({ type: 'host-woke', host: hostId('h1') });
    tale.write({ type: 'forge-taken', host: hostId('h1') });
    const { easyAt } = tale.state().forge ?? { easyAt: 0 };
    expect(wishes(easyAt - 1)).not.toContain('answer');
    expect(wishes(easyAt)).toContain('answer');
    tale.write({
      type: 'forge-held',
      account: 'forge:forge.test',
      kind: 'rate',
      untilMs: easyAt + 9000,
      detail: '',
    });
    expect(wishes(easyAt)).toEqual([]);
  });

  it('refused three times with nothing changed it is parked, and tried again when anything changes', () => {
    const { tale, id, see } = opened();
    see();
    for (let times = 0; times < 3; times += 1)
      tale.write({ type: 'merge-refused', loop: id, head: HEAD, why: 'a rule' });
    expect(tale.loop(id).phase.at).toBe('parked');
    see({ reviews: [review('approved', HEAD)] });
    expect(tale.loop(id).phase.at).toBe('reviewing');
  });

  it('one host has the forge: the first in the log, until it is gone', () => {
    const { tale } = opened();
    tale.join('h2', { mergePolicy: 'pr', forge: FORGE });
    tale.write({ type: 'forge-taken', host: hostId('h2') });
    expect(tale.state().forge?.host).toBe('h1');
    tale.write({ type: 'host-left', host: hostId('h1') });
    tale.write({ type: 'forge-taken', host: hostId('h2') });
    expect(tale.state().forge).toMatchObject({ host: 'h2', easyAt: 0 });
  });

  it('without a check until the deadline a person is asked, unless the repository has none', () => {
    const none = { checks: { verdict: 'none', failed: [] } } as const;
    const waiting = opened();
    waiting.see(none);
    expect(waiting.wishes(NOW + FORGE.ciDeadlineMs)).toEqual([]);
    expect(waiting.wishes(NOW + FORGE.ciDeadlineMs + 1)).toEqual(['set-aside']);
    const without = opened({ checks: 'none' });
    without.see(none);
    expect(without.wishes(NOW + FORGE.ciDeadlineMs + 1)).not.toContain('set-aside');
  });

  it('a reviewing agent is asked once for a head, and only its plain approval counts', () => {
    const { tale, id, see, wishes, why } = opened({ needsReview: true, reviewer: 'claude' });
    see();
    expect(wishes()).toEqual(['judge']);
    const judged = { type: 'pull-judged', loop: id, head: HEAD, said: '' } as const;
    tale.write({ ...judged, verdict: 'silent' });
    expect(wishes()).toEqual([]);
    expect(why()).toBe('its reviewer gave no verdict; a person has to approve it');
    expect(why({ reviews: [review('approved', HEAD)] })).toBeNull();
    tale.write({ ...judged, verdict: 'approved' });
    expect(why()).toBeNull();
    expect(why({ reviews: [review('changes', HEAD)] })).toBe('changes are requested');
    expect(why({ head: sha('other') })).toBe('it has another head');
  });

  it('asked for again after it was closed, it is opened again', () => {
    const { tale, id, see, wishes } = opened();
    see({ state: 'closed' });
    const { head } = tale.loop(id);
    if (head === null) throw new Error('it has no head');
    tale.write({ type: 'pull-asked', loop: id, head });
    expect(wishes()).toEqual(['reopen']);
    see({ state: 'closed' });
    expect(tale.loop(id).phase.at).toBe('reviewing');
    tale.write({ type: 'pull-reopened', loop: id });
    expect(wishes()).toEqual([]);
    see({ state: 'closed' });
    expect(tale.loop(id).phase.at).toBe('parked');
  });

  it('a host that merges waits for what nobody has looked at and for checks, but not for people', () => {
    const { tale, id, see } = opened();
    const awaited = (): boolean => isAwaited(RULES, tale.loop(id));
    expect([hasUnseen(tale.state(), RULES), awaited()]).toEqual([true, false]);
    see({ checks: { verdict: 'pending', failed: [] } });
    expect([hasUnseen(tale.state(), RULES), awaited()]).toEqual([false, true]);
    see({ checks: { verdict: 'pending', failed: [] }, reviews: [review('changes', HEAD)] });
    expect(awaited()).toBe(false);
    see();
    expect(awaited()).toBe(false);
  });
});
