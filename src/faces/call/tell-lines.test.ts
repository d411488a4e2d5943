import { expect, it } from 'vitest';
import { hostId, sha } from '../../core/model/ids.ts';
import { toldBefore } from './tell-lines.ts';

it('what several hosts publish at the same moment is told once, and whatever comes next again', () => {
  const isTold = toldBefore();
  const published = (digit: string) => isTold({ type: 'published', to: sha(digit.repeat(40)) });
  expect([published('a'), published('a'), published('b')]).toEqual([false, true, false]);
  expect(isTold({ type: 'host-left', host: hostId('h') })).toBe(false);
  expect([published('b'), published('a')]).toEqual([true, false]);
});
