import { describe, expect, it } from 'vitest';
import { tellTale, task } from '../../../test/sim/tale.ts';
import { loopId, sha, taskId, taskKey } from '../model/ids.ts';
import type { HoldNotice } from '../model/failure.ts';
import type { State } from '../model/model.ts';
import { newsBetween } from './news.ts';

const HOLD: HoldNotice = { kind: 'limit', untilMs: 9_000_000, detail: 'five hours' };
const kinds = (before: State, after: State): readonly string[] => newsBetween(before, after).map((one) => one.type);

describe('newsBetween', () => {
  it('tells of a limit once, however many loops meet it, and again when it lasts longer', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'), task('c'));
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    const before = tale.state();
    tale.iterate(a, 'limited', 'x', 1, { hold: HOLD });
    const first = tale.state();
    tale.iterate(b, 'limited', 'y', 1, { hold: HOLD });
    const second = tale.state();
    tale.iterate(a, 'limited', 'x', 1, { hold: { ...HOLD, untilMs: 9_900_000 } });
    expect(kinds(before, first)).toEqual(['account-held']);
    expect(kinds(first, second)).toEqual([]);
    expect(kinds(second, tale.state())).toEqual(['account-held']);
  });

  it('is silent about a list in which only what landed was ticked, and tells of an edit', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    tale.write({
      type: 'landings-found',
      landings: [{ task: taskKey('PRD.md', taskId('a')), loop: loopId('a-1'), commit: sha('c'), at: 1 }],
    });
    const before = tale.state();
    tale.read(task('a', { status: 'done' }), task('b'));
    expect(kinds(before, tale.state())).not.toContain('tasks-changed');
    const ticked = tale.state();
    tale.read(task('a', { status: 'done' }), task('b', { status: 'done' }));
    expect(kinds(ticked, tale.state())).toContain('tasks-changed');
  });
});
