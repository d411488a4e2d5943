import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord, readRecord } from './read-record.ts';
import type { LoopRecord } from './record.ts';
import { recordText } from './record.ts';

const HEADER = {
  record: 1,
  loop: 'calm-otter',
  title: 'Make alpha',
  prompt: 'make it\nround',
  agent: 'claude',
  driver: 'claude',
  promise: 'DONE',
  base: null,
} as const;
const ITERATION = {
  n: 1,
  prompt: 'p',
  stdout: 'out\n',
  stderr: '',
  exit: 0,
  durationMs: 5,
  patch: null,
  verbs: [['done', 'all']],
  usage: null,
  outcome: 'done',
} as const;

describe('a record', () => {
  it('reads as what it was written from', () => {
    const bytes = fc.oneof(
      fc.string(),
      fc.base64String().map((base64) => ({ base64 })),
    );
    const iteration = fc.record({
      prompt: bytes,
      stdout: bytes,
      stderr: bytes,
      exit: fc.option(fc.nat(255)),
      durationMs: fc.option(fc.nat()),
      patch: fc.option(bytes),
      verbs: fc.array(fc.tuple(fc.constantFrom('progress', 'block', 'done'), fc.string())),
      outcome: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string()), fc.array(iteration, { maxLength: 3 }), (prompt, base, all) => {
        const record = {
          header: { ...HEADER, prompt, base },
          iterations: all.map((one, at) => ({ ...one, n: at + 1, usage: null })),
        } as LoopRecord;
        expect(readRecord(recordText(record))).toEqual({ ok: true, record });
        expect(isRecord(recordText(record).split('\n')[0] ?? '')).toBe(true);
      }),
    );
  });

  const text = recordText({ header: HEADER, iterations: [ITERATION, { ...ITERATION, n: 2 }] });
  const changed = (from: string, to: string): string => text.replace(from, to);
  it.each([
    ['', 1, 'no JSON'],
    ['[]\n', 1, 'no JSON object'],
    ['{"a":1}\n', 1, 'no record'],
    [changed('"record":1', '"record":2'), 1, 'knows only up to 1'],
    [changed('"driver":"claude"', '"driver":"x"'), 1, '`driver`'],
    [changed('"base":null', '"base":7'), 1, '`base` is no text'],
    [changed('"n":2', '"n":1'), 3, 'grows'],
    [changed('"stdout":"out\\n"', '"stdout":{"base64":"$"}'), 2, '`stdout` is neither'],
    [changed('"exit":0', '"exit":256'), 2, '`exit` is no exit code'],
    [changed('"verbs":[["done"', '"verbs":[["rm"'), 2, 'no verb'],
    [changed('"patch":null,', ''), 2, '`patch` is neither'],
    [text.slice(0, -1), 3, 'in the middle of a line'],
    [text.slice(0, -20), 3, 'in the middle of a line'],
    [`${text}\n`, 4, 'no JSON'],
  ])('is none: %#', (broken, line, problem) =>
    expect(readRecord(broken)).toEqual({ ok: false, line, problem: expect.stringContaining(problem) }),
  );

  it.each(['', 'notes', '{"record":"mine"}', '[1]'])('does not begin with %j', (line) =>
    expect(isRecord(line)).toBe(false),
  );
});
