import { describe, expect, it } from 'vitest';
import type { CompletionSignal } from '../../core/settings.ts';
import { claimsDone, lastLine, readSignal, type Signal } from './completion.ts';

const TAG = '<promise>COMPLETE</promise>';

describe('claimsDone', () => {
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
  it.each(cases)('%j: %s', (text, done) => expect(claimsDone(text, 'COMPLETE')).toBe(done));

  it.each(['<promise> COMPLETE </promise>', 'Done. **<promise>COMPLETE </promise>**'])(
    'trip 12: blanks inside the tag do not matter: %s',
    (text) => expect(claimsDone(text, 'COMPLETE')).toBe(true),
  );

  it('takes the promise from the settings', () =>
    expect(claimsDone('<promise>SHIPPED</promise>', 'SHIPPED')).toBe(true));
});

describe('readSignal', () => {
  const BLOCK =
    'Worked.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\nRECOMMENDATION: none\n---END_RALPH_STATUS---';
  const cases: readonly (readonly [CompletionSignal, string, Signal | null])[] = [
    ['promise', `All done.\n${TAG}`, 'done'],
    ['promise', 'SHIP', null],
    ['exit_signal', 'All done.\nEXIT_SIGNAL: true\n', 'done'],
    ['exit_signal', 'EXIT_SIGNAL: True', 'done'],
    ['exit_signal', '**EXIT_SIGNAL: true**', 'done'],
    ['exit_signal', 'EXIT_SIGNAL: false', null],
    ['exit_signal', 'I will say EXIT_SIGNAL: true', null],
    ['exit_signal', 'EXIT_SIGNAL: true\nOne thing is missing.', null],
    ['exit_signal', BLOCK, 'done'],
    ['exit_signal', BLOCK.replace('true', 'FALSE'), null],
    ['exit_signal', `${BLOCK}\nThat was the form.`, null],
    ['exit_signal', `\`\`\`\n${BLOCK}\n\`\`\``, 'done'],
    ['exit_signal', 'EXIT_SIGNAL: true\n---END_RALPH_STATUS---', null],
    ['loop_complete', 'Done.\n\nLOOP_COMPLETE\n\n', 'done'],
    ['loop_complete', '`LOOP_COMPLETE`', 'done'],
    ['loop_complete', 'not yet LOOP_COMPLETE', null],
    ['loop_complete', 'LOOP_COMPLETE.', null],
    ['loop_complete', 'LOOP_COMPLETE\nexcept for the tests', null],
    ['ship_block', 'Looks good.\nSHIP', 'done'],
    ['ship_block', '**SHIP**', 'done'],
    ['ship_block', 'BLOCK', 'blocked'],
    ['ship_block', 'Sorry.\n**BLOCK: no access to the database**', 'blocked'],
    ['ship_block', 'Either SHIP or BLOCK', null],
    ['ship_block', 'BLOCKED', null],
    ['ship_block', 'do not SHIP', null],
    ['ship_block', '', null],
  ];
  it.each(cases)('%s %j: %s', (signal, text, wanted) =>
    expect(readSignal(text, null, { signal, promise: 'COMPLETE' })).toBe(wanted),
  );

  it.each([
    [{ status: 'done' }, 'done'],
    [{ status: 'blocked', summary: 'x' }, 'blocked'],
    [{ status: 'continue' }, null],
    [{ done: true }, null],
    ['done', null],
    [null, null],
  ])('structured %j: %s', (structured, wanted) =>
    expect(readSignal(TAG, structured, { signal: 'structured', promise: 'COMPLETE' })).toBe(wanted),
  );

  it('tells the last line as it is meant', () => expect(lastLine('a\n> **BLOCK: x**  \n\n')).toBe('BLOCK: x'));

  it('takes the form from the words of a client that says nothing else', () => {
    const how = { signal: 'structured', promise: 'X' } as const;
    expect(readSignal('{"status":"done","summary":"x"}\n', null, how)).toBe('done');
    expect(readSignal('{"status":"continue"}', null, how)).toBeNull();
    expect(readSignal('I am done: {"status":"done"}', null, how)).toBeNull();
    expect(readSignal('{"status":"done"}', { status: 'continue' }, how)).toBeNull();
  });
});
