import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, sourceFiles } from './support/repository.ts';
import { identifiersIn, wordsIn } from './support/identifiers.ts';

/** Names the file formats use: they are other people's words, kept as they are. */
const FOREIGN_NAMES = /max_?workers|worker_?log/i;
/** Places that speak to a format or a library whose own words are avoided elsewhere. */
const ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  'src/text/trackers/': ['story', 'ticket', 'epic', 'todo'],
  'src/world/forge/': ['job', 'mergeable'],
  'src/core/views/view': ['worker'],
  'src/faces/cli/commands/status.ts': ['worker'],
  'src/faces/cli/cli.ts': ['suggestion'],
};

interface Avoided {
  readonly term: string;
  readonly word: string;
}

/** Words in backticks in the last column of the table must not be part of a name. */
function avoidedWords(): readonly Avoided[] {
  const rows = [...readText('GLOSSARY.md').matchAll(/^\| \*\*(.+?)\*\* \|.*\| ([^|]*) \|$/gm)];
  return rows.flatMap(([, term = '', avoid = '']) =>
    [...avoid.matchAll(/`([^`]+)`/g)].map(([, word = '']) => ({ term, word })),
  );
}

const isExcused = (path: string, word: string): boolean =>
  Object.entries(ADAPTERS).some(([folder, words]) => path.startsWith(folder) && words.includes(word));

const holds = (name: string, word: string): boolean => ` ${wordsIn(name).join(' ')} `.includes(` ${word} `);

describe('the glossary', () => {
  it('reads the words to avoid', () => {
    expect(avoidedWords()).toContainEqual({ term: 'loop', word: 'job' });
  });

  it('has at most 65 terms', () => {
    expect(readText('GLOSSARY.md').match(/^\| \*\*/gm)?.length).toBeLessThanOrEqual(65);
  });

  it('sees words inside names', () => {
    const source = "const jobQueue = `${worker.id} ticket`; // story\nconst a = 'hint';";
    expect(identifiersIn(source)).toEqual(['const', 'jobQueue', 'worker', 'id', 'a']);
    expect(wordsIn('jobQueues')).toEqual(['job', 'queue']);
    expect(holds('theMergeQueue', 'merge queue')).toBe(true);
  });

  it('is kept: no avoided word in a name or a file name', () => {
    const found = sourceFiles().flatMap((path) => {
      const names = [...identifiersIn(readText(path)), basename(path, '.ts').replace('.test', '')];
      return avoidedWords().flatMap(({ term, word }) =>
        names
          .filter((name) => holds(name, word) && !FOREIGN_NAMES.test(name) && !isExcused(path, word))
          .map((name) => `${path}: ${name} (say ${term}, not ${word})`),
      );
    });
    expect(found).toEqual([]);
  });
});
