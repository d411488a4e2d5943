import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateLineFault, hasPipe, uncountedIn } from './gate-line.ts';
import { lexShell } from './lex.ts';

const texts = (line: string): string[] => lexShell(line).map(({ text }) => text);

describe('lexShell', () => {
  it('parts words and operators as a shell does', () => {
    expect(texts('npm test|tee "my log" 2>&1 && ! x')).toEqual([
      'npm',
      'test',
      '|',
      'tee',
      'my log',
      '2',
      '>&',
      '1',
      '&&',
      '!',
      'x',
    ]);
    expect(texts('a\\ b \'c & d\' "e | $F"')).toEqual(['a b', 'c & d', 'e | $F']);
    expect(texts('a \\\n b')).toEqual(['a', 'b']);
    expect(texts('x#y # not & this\nz')).toEqual(['x#y', '\n', 'z']);
  });

  it('leaves here-documents out', () => {
    expect(texts("cat <<'E' && b\nx & y |\nE\nc")).toEqual(['cat', '<<', 'E', '&&', 'b', '\n', 'c']);
    expect(texts('cat <<-E\n\tx &\n\tE\nc')).toEqual(['cat', '<<-', 'E', '\n', 'c']);
  });

  it('keeps what runs inside a word', () => {
    const [, word] = lexShell('test "$(ls (x) | wc -l; echo ")")" = 3');
    expect(word).toMatchObject({ isPlain: false, inner: ['ls (x) | wc -l; echo ")"'] });
    expect(lexShell('diff <(a) `b` ${C:-d e}').map(({ inner }) => inner)).toEqual([[], ['a'], ['b'], []]);
    expect(lexShell('ls *.ts src').map(({ isPlain }) => isPlain)).toEqual([true, false, true]);
  });

  it('ends with whatever it is given', () => {
    for (const line of ['"', "'", '`', '$(', '${', '\\', '<<', '<<E\n', '<(', '((', '"$(`', '\\\n'])
      expect(() => lexShell(line)).not.toThrow();
    const letters = Array.from('ab \t\r\n\v\u00A0\\\'"`$(){}<>&|;#-');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...letters)), (line) => {
        const tokens = lexShell(line.join(''));
        expect(tokens.every(({ at }, index) => at > (tokens[index - 1]?.at ?? -1))).toBe(true);
      }),
    );
  });
});

describe('gateLineFault', () => {
  it.each(['# npm test', '#', '\n  # a\n\n# b\n'])('finds %j to be only a comment', (line) => {
    expect(gateLineFault(line)).toContain('only a comment');
  });

  it.each([
    ['npm test &', 'npm test'],
    ['npm test & # later', 'npm test # later'],
    ['a &\nb &\n', 'a &\nb'],
    ['(npm test &)', '(npm test)'],
    ['if a; then b & fi', 'if a; then b; fi'],
    ['npm test 2>&1 &', 'npm test 2>&1'],
  ])('refuses %j', (line, instead) => {
    expect(gateLineFault(line)).toContain('ends in &');
    expect(gateLineFault(line)).toContain(`write ${JSON.stringify(instead)}`);
  });

  it.each([
    'a & b',
    'a &\nwait $!',
    'a && b',
    'a > x 2>&1',
    'a &> x',
    'a >& x',
    "echo '&'",
    'echo \\&',
    'a # &',
    'cat <<E\nx &\nE',
    'x=$(a &)',
  ])('takes %j', (line) => {
    expect(gateLineFault(line)).toBeNull();
  });
});

it('uncountedIn names what a shell does not count', () => {
  expect(uncountedIn('! grep -q x f\nnpm test')).toContain('counts only at the end');
  expect(uncountedIn('a & b & wait')).toContain('wait alone');
  for (const line of ['a\n! b', '! a || exit 1; b', 'a & p=$!; b; wait $p', 'if ! a; then exit 1; fi; b', 'a; b'])
    expect(uncountedIn(line)).toBeNull();
});

it('hasPipe sees pipes, not ||, and those inside words', () => {
  expect(['a | b', 'a |& b', 'x "$(a | b)"'].map(hasPipe)).toEqual([true, true, true]);
  expect(['a || b', "a '|' b", 'a >| b', 'case $x in a\\|b) ;; esac'].map(hasPipe)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
