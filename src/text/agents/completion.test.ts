import { describe, expect, it } from 'vitest';
import type { CompletionSignal } from '../../core/model/settings.ts';
import { saysDone } from './completion.ts';

const TAG = '<promise>COMPLETE</promise>';

describe('the promise', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    [`All done.\n${TAG}`, true],
    [`All done. ${TAG}`, true],
    [`${TAG}\n\n  `, true],
    [`\`${TAG}\``, true],
    [`Finished!\n\n**${TAG}**\n`, true],
    [`I will print ${TAG} when the tests pass.`, false],
    [`The tests fail, so I do not say ${TAG}`, false],
    [`When I am done I will print \`${TAG}\``, false],
    [`Not yet: "${TAG}`, false],
    [`**\`${TAG}\`**`, false],
    [`> ${TAG}`, false],
    [`not done <!-- ${TAG}`, false],
    [`- ${TAG}`, true],
    [`All done ✅ ${TAG}`, true],
    [`${TAG}\nbut one thing is missing`, false],
    ['<promise>DONE</promise>', false],
    ['COMPLETE', false],
    ['', false],
  ];
  it.each(cases)('%j: %s', (text, done) =>
    expect(saysDone(text, { signal: 'promise', promise: 'COMPLETE' })).toBe(done),
  );

  it.each(['<promise> COMPLETE </promise>', 'Done. **<promise>COMPLETE </promise>**'])(
    'trip 12: blanks inside the tag do not matter: %s',
    (text) => expect(saysDone(text, { signal: 'promise', promise: 'COMPLETE' })).toBe(true),
  );

  it('takes the promise from the settings', () =>
    expect(saysDone('<promise>SHIPPED</promise>', { signal: 'promise', promise: 'SHIPPED' })).toBe(true));
});

describe('saysDone', () => {
  const cases: readonly (readonly [CompletionSignal, string, boolean])[] = [
    ['promise', `All done.\n${TAG}`, true],
    ['promise', 'SHIP', false],
    ['loop_complete', 'Done.\n\nLOOP_COMPLETE\n\n', true],
    ['loop_complete', '`LOOP_COMPLETE`', true],
    ['loop_complete', 'not yet LOOP_COMPLETE', false],
    ['loop_complete', 'LOOP_COMPLETE.', false],
    ['loop_complete', 'LOOP_COMPLETE\nexcept for the tests', false],
  ];
  it.each(cases)('%s %j: %s', (signal, text, wanted) =>
    expect(saysDone(text, { signal, promise: 'COMPLETE' })).toBe(wanted),
  );
});
