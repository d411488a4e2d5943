import { describe, expect, it } from 'vitest';
import { readText, sourceFiles } from './support/repository.ts';

/** Where commands for people are made. Text speaks of words in files, and quotes them as those do. */
const ROOMS = /^src\/(?:core|world|engine|faces)\/.*(?<!\.test)\.ts$/;
/** Where the one way to quote is. */
const SHELL_WORD = 'src/core/model/shell-word.ts';

/** A quote mark right before a hole in a template, or quotes taken out by hand. */
const handMade = (line: string): boolean =>
  /'\$\{/.test(line) || (line.includes('`') && /"\$\{/.test(line)) || /replaceAll\("'"/.test(line);

describe('what a person is told to paste', () => {
  it('sees quotes made by hand', () => {
    for (const line of ["remedy: `rm '${path}'`,", 'remedy: `cd "${path}" && ls`,', `path.replaceAll("'", x)`])
      expect(handMade(line), line).toBe(true);
    for (const line of ['remedy: `rm ${shellWord(path)}`,', `const A = 'sh "$1"; exec "\${SHELL}"';`, "`a's ${b}`"])
      expect(handMade(line), line).toBe(false);
  });

  it('has its words quoted by shellWord: a path may hold a quote mark itself', () => {
    const found = sourceFiles()
      .filter((path) => ROOMS.test(path) && path !== SHELL_WORD)
      .flatMap((path) =>
        readText(path)
          .split('\n')
          .flatMap((line, at) => (handMade(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
      );
    expect(found).toEqual([]);
  });
});
