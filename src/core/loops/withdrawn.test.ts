import { expect, it } from 'vitest';
import { task, tellTale, TRACKER } from '../../../test/sim/tale.ts';
import { sha } from '../model/ids.ts';
import { landingQueue } from './landing-queue.ts';
import { taskViews } from '../views/view.ts';

it('what is ready is held while its task is not in the list, and lands when it is back or a person says so', () => {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  const a = tale.ready('a');
  const queue = () => landingQueue(tale.state()).map(({ id }) => id);
  const told = () => taskViews(tale.state(), TRACKER).map(({ id, state, reason, why }) => [id, state, reason, why]);
  expect(queue()).toEqual([a]);
  tale.read(task('b'));
  expect(queue()).toEqual([]);
  expect(told()).toEqual([
    ['b', 'open', null, 'no loop works on it'],
    ['a', 'ready', 'withdrawn', `its task is no longer in ${TRACKER}`],
  ]);
  tale.read(task('a'), task('b'));
  expect(queue()).toEqual([a]);
  tale.read(task('b'));
  tale.write({ type: 'landing-requested', items: [{ loop: a, head: sha('h') }] });
  expect(queue()).toEqual([a]);
});
