import { describe, expect, it } from 'vitest';
import { key, task, tellTale } from '../../../test/sim/tale.ts';
import type { FoundLoop } from '../model/found-loop.ts';
import { hostId, loopId, sha } from '../model/ids.ts';
import { schedule } from '../plan/schedule.ts';
import { wishes } from '../plan/wishes.ts';

const found = (name: string, more: Partial<FoundLoop> = {}): FoundLoop => ({
  loop: loopId(`${name}-9`),
  task: key(name),
  title: `Do ${name}`,
  attempt: 2,
  branch: `ralph/${name}-9`,
  base: sha('base'),
  baseTree: sha('base-tree'),
  head: sha('head'),
  tree: sha('tree'),
  worktree: `/w/${name}`,
  ...more,
});

function opened() {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  return tale;
}

describe('work that the log does not know', () => {
  it('is judged by the gates first, by whoever has a slot for it', () => {
    const tale = opened();
    tale.write({ type: 'loops-found', loops: [found('a')] });
    const { adopts, starts } = schedule(tale.state(), hostId('h1'));
    expect(adopts).toEqual([{ loop: 'a-9', slot: 1 }]);
    expect(starts.map((start) => start.task)).toEqual([key('b')]);
    tale.write({ type: 'loop-adopted', loop: loopId('a-9'), host: hostId('h1'), slot: 1 });
    expect(wishes(tale.state(), hostId('h1'))).toMatchObject([{ type: 'run-gates', loop: 'a-9', n: 0 }]);
    expect(tale.state().attempts[key('a')]).toBe(2);
  });

  it('goes on from its branch where the worktree is gone or nothing was done', () => {
    const tale = opened();
    const bare = found('b', { tree: sha('base-tree'), head: sha('base') });
    tale.write({ type: 'loops-found', loops: [found('a', { worktree: null }), bare] });
    expect(tale.loop(loopId('a-9'))).toMatchObject({ phase: { at: 'preparing' }, head: 'head', worktree: null });
    expect(tale.loop(loopId('b-9')).phase).toEqual({ at: 'preparing' });
  });

  it('changes nothing where the task is in somebody’s hands, has landed, or the loop is known', () => {
    const tale = opened();
    tale.begin('a');
    tale.write({
      type: 'landings-found',
      landings: [{ task: key('b'), loop: loopId('b-1'), commit: sha('c'), at: 0 }],
    });
    const before = tale.state().loops;
    tale.write({ type: 'loops-found', loops: [found('a'), found('b')] });
    expect(tale.state().loops).toEqual(before);
  });

  it('waits for a person where its agent had strayed: it is neither judged, landed nor begun again', () => {
    const tale = opened();
    tale.write({ type: 'loops-found', loops: [found('a', { tampered: 'moved branch main' })] });
    const { phase } = tale.state().loops[loopId('a-9')] ?? {};
    expect(phase).toMatchObject({ at: 'parked', reason: 'tampered', detail: 'moved branch main' });
  });
});
