import { expect, it } from 'vitest';
import { key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import { loopId, sha } from '../model/ids.ts';
import { boarding } from '../loops/landing-queue.ts';

function landed() {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  const a = tale.ready('a');
  tale.startLanding();
  tale.build([[a, 'c1']]);
  tale.test('c1-tree');
  tale.advance('c1');
  return tale;
}

const UNDO = {
  type: 'revert-made',
  loop: loopId('revert-a-1'),
  task: key('a'),
  commit: sha('c1'),
  title: 'Revert a',
  branch: 'ralph/revert-a-1',
  base: sha('c1'),
  baseTree: sha('c1-tree'),
  head: sha('r'),
  tree: sha('r-tree'),
} as const;

it('a revert rides on a train like any work, and once it has landed the task is open', () => {
  const tale = landed();
  tale.write(UNDO);
  expect(boarding(tale.state(), 9)).toEqual([UNDO.loop]);
  expect(tale.state().landed[key('a')]).toMatchObject({ commit: 'c1' });
  tale.startLanding();
  tale.build([[UNDO.loop, 'c2']], { base: sha('c1'), baseTree: sha('c1-tree') });
  tale.test('c2-tree');
  tale.advance('c2');
  expect(tale.state().landed[key('a')]).toBeUndefined();
  expect(tale.state().attempts[key('a')]).toBeUndefined();
  expect(tale.loop(UNDO.loop).phase).toMatchObject({ at: 'landed' });
});

it('a revert that is red leaves the landing as it is', () => {
  const tale = landed();
  tale.write(UNDO);
  tale.startLanding();
  tale.build([[UNDO.loop, 'c2']], { base: sha('c1'), baseTree: sha('c1-tree') });
  tale.test('c2-tree', RED);
  expect(tale.loop(UNDO.loop).phase).toMatchObject({ at: 'parked', reason: 'red' });
  expect(tale.state().landed[key('a')]).toMatchObject({ commit: 'c1' });
});

it('what has been undone since, or freed, is not undone again', () => {
  const tale = landed();
  tale.write({ type: 'task-reset', task: key('a') });
  tale.write(UNDO);
  expect(tale.state().loops[UNDO.loop]).toBeUndefined();
});
