import { describe, expect, it } from 'vitest';
import { onlyThisChanged } from './edit.ts';
import { readToml } from './toml-entries.ts';

const BEFORE = `# top
agent = "a" # one
[gates]
commands = [
  "x", # why
]
timeout = 5
[[unknown]]
when = 1979-05-27
`;
const verdict = (after: string): boolean => onlyThisChanged(readToml(BEFORE), readToml(after), 'agent', 'b');

describe('onlyThisChanged', () => {
  const right = BEFORE.replace('"a"', '"b"');

  it('takes the intended edit, however it is laid out', () => {
    expect(verdict(right)).toBe(true);
    expect(verdict(right.replace('agent = "b" # one', "agent   =   'b' # one\n"))).toBe(true);
  });

  it.each([
    ['an unchanged value', BEFORE],
    ['another value', BEFORE.replace('"a"', '"c"')],
    ['a lost key', BEFORE.replace('agent = "a"', '')],
    ['a key written twice', right.replace('# top', '# top\nagent = "b"')],
    ['another key changed', right.replace('timeout = 5', 'timeout = 6')],
    ['another type', right.replace('timeout = 5', 'timeout = "5"')],
    ['an item changed', right.replace('"x"', '"y"')],
    ['a date changed inside a list of tables', right.replace('1979', '1980')],
    ['a key added', `${right}more = 1\n`],
    ['a comment lost', right.replace(' # one', '')],
    ['a comment of another list lost', right.replace(' # why', '')],
    ['broken text', `${right}[`],
  ])('refuses %s', (_, after) => {
    expect(verdict(after)).toBe(false);
  });

  it('lets comments inside the list that is set go with their items', () => {
    const after = BEFORE.replace('  "x", # why\n', '');
    expect(onlyThisChanged(readToml(BEFORE), readToml(after), 'gates.commands', [])).toBe(true);
  });
});
