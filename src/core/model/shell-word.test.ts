import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellLine, shellWord } from './shell-word.ts';

describe('shellWord', () => {
  it('leaves plain words alone and quotes the rest', () => {
    expect(shellWord('feature/auth-1')).toBe('feature/auth-1');
    expect(shellWord('')).toBe("''");
    expect(shellWord('-rf')).toBe("'-rf'");
    expect(shellWord('$(x)')).toBe("'$(x)'");
    expect(shellWord('~root')).toBe("'~root'");
  });

  it('leaves the flags of a command line bare', () => {
    expect(shellLine(['run', '--max-workers', '2', '-p', 'a b', '-1'])).toBe("run --max-workers 2 -p 'a b' '-1'");
  });

  it('is read by a shell as the very text', () => {
    const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 30 }), { seed: 1, numRuns: 200 });
    const plain = [...texts, "'", '"', '\\', '\n', '$HOME', '`id`', 'a b', '*', '!!', '#x', '=x', '%1', '\t'].filter(
      (text) => !text.includes('\0'),
    );
    const script = plain.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n');
    const said = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(said.split('\0').slice(0, -1)).toEqual(plain);
  });
});
