import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';
import { splitDotted } from './dotted.ts';
import { findKey } from './find-key.ts';

const check = (dotted: string, value: unknown): string | null => {
  const found = findKey(splitDotted(dotted));
  if (found.kind !== 'key') throw new Error(`no key ${dotted}`);
  return checkValue(found.key, dotted, value)?.message ?? null;
};

describe('checkValue', () => {
  it.each([
    ['tasks', 'docs/PRD.md'],
    ['tasks', ['a.yaml', 'b.yaml']],
    ['parallel.enabled', true],
    ['parallel.max_workers', 1],
    ['parallel.max_workers', 256],
    ['parallel.merge_policy', 'pr'],
    ['parallel.conflict_resolution.strategy', 'ai_resolve'],
    ['landing.method', 'rebase'],
    ['gates.commands', []],
    ['gates.commands', ['npm test\nnpm run lint']],
    ['gates.timeout', 90],
    ['gates.timeout', 'auto'],
    ['gates.resources.db', 1],
    ['gates.uses.db', ['npm test']],
    ['parallel.conflict_resolution.strategy', 'requeue'],
    ['landing.gate_slots', 1],
    ['landing.max_attempts', 0],
    ['landing.flake_retries', 0],
    ['landing.flake_retries', 'auto'],
    ['landing.message', 'Land {{title}}\r\n\n\tfor {{ task_id }}'],
    ['landing.sign', 'never'],
    ['landing.merge.union', []],
    ['completion_file', 'docs/plans/login.md'],
    ['landing.merge.regenerate."a/b.lock"', 'a\nb'],
    ['agents.a.command', ['claude', '']],
    ['agents.a.env.X', 'a\tb'],
    ['agents.a.env.X', ''],
    ['agents.a.pass_env', ['HOME', 'AWS_*']],
  ])('%s may be %j', (dotted, value) => {
    expect(check(dotted, value)).toBeNull();
  });

  it.each([
    ['completion_file', '/etc/passwd', 'must be the path of one file inside the repository'],
    ['completion_file', 'docs/../../x', 'without .., not "docs/../../x"'],
    ['parallel.max_workers', -1, 'must be a whole number from 1 to 256, not -1'],
    ['parallel.max_workers', 0, 'not 0'],
    ['parallel.max_workers', 10_000, 'must be a whole number from 1 to 256, not 10000'],
    ['parallel.max_workers', 2.5, 'not 2.5'],
    ['parallel.max_workers', 99999999999999999999n, 'not 99999999999999999999'],
    ['parallel.max_workers', Number.NaN, 'not NaN'],
    ['parallel.max_workers', '3', 'not "3"'],
    ['parallel.enabled', 'true', 'must be true or false, not "true"'],
    [
      'parallel.merge_policy',
      'auto-merge',
      'must be one of manual, auto_merge, pr, not "auto-merge"; did you mean "auto_merge"?',
    ],
    ['parallel.merge_policy', 'wild', 'must be one of manual, auto_merge, pr, not "wild"'],
    ['parallel.strategy', new Map(), 'not a table'],
    ['tasks', '', 'must be a non-empty text on one line, not ""'],
    ['tasks', 'a\nb', 'not "a\\nb"'],
    ['tasks', [], 'not an empty list'],
    ['tasks', new Date(0), 'not a date'],
    ['tasks', `\u202E${'x'.repeat(99)}\n`, 'not "\\u{202e}xxx'],
    ['gates.timeout', '10 minutes', 'like "90s", "30m" or "1h30m" (a number is seconds), not "10 minutes"'],
    ['gates.timeout', 'Auto', 'must be "auto" or a time above zero'],
    ['gates.resources.db', 0, 'must be a whole number from 1 to 256, not 0'],
    ['gates.uses.db', 'npm test', 'must be a list of texts: shell commands'],
    ['landing.gate_slots', 17, 'must be "auto" or a whole number from 1 to 16, not 17'],
    ['landing.gate_slots', 0, 'not 0'],
    ['landing.max_attempts', 21, 'must be a whole number from 0 to 20'],
    ['landing.flake_retries', 6, 'must be "auto" or a whole number from 0 to 5'],
    ['landing.message', ' \n', 'must be a text that is not empty'],
    ['landing.message', 'a\u001Bb', 'must be a text that is not empty, without control characters'],
    ['landing.message', 7, 'not 7'],
    ['landing.message', 'Land\n  {{titel}} {{', '`landing.message`, line 2, column 3: '],
    ['landing.message', '{{titel}}', 'did you mean {{title}}?'],
    ['landing.sign', 'yes', 'must be one of auto, always, never'],
    ['landing.merge.regenerate."a/b.lock"', '', 'must be a shell command, such as "npm install", not ""'],
    ['landing.merge.regenerate."a/b.lock"', ['npm'], 'not a list'],
    ['gates.commands', 'npm test', 'must be a list of texts: shell commands, not "npm test"'],
    ['gates.commands', ['npm test', ' '], 'item 2 is " "'],
    ['gates.commands', [1], 'item 1 is 1'],
    ['agents.a.command', [], 'not an empty list'],
    ['agents.a.command', [''], 'item 1 is ""'],
    ['agents.a.command', ['a', 'b\0c'], 'item 2 is "b\\u0000c"'],
    ['agents.a.env.X', 'a\nb', 'must be a text without line breaks and NUL, not "a\\nb"'],
    ['agents.a.env.X', 'a\0b', 'must be a text without line breaks and NUL'],
    ['agents.a.env.X', 5, 'not 5'],
    ['agents.a.pass_env', ['*'], 'item 1 is "*"'],
    ['agents.a.pass_env', ['A B'], 'item 1 is "A B"'],
  ])('%s may not be %o', (dotted, value, message) => {
    expect(check(dotted, value)).toContain(message);
    expect(check(dotted, value)).toContain(`\`${dotted}\``);
  });
});
