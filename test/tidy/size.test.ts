import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles, sourceFiles } from './support/repository.ts';

const LINES_MAX = 400;
const BYTES_MAX = 256 * 1024;

describe('sizes', () => {
  it(`no source file has more than ${LINES_MAX} lines`, () => {
    const long = sourceFiles()
      .map((path) => ({ path, lines: readText(path).split('\n').length - 1 }))
      .filter(({ lines }) => lines > LINES_MAX);
    expect(long).toEqual([]);
  });

  it('no file is a blob', () => {
    const large = repositoryFiles().filter((path) => readText(path).length > BYTES_MAX);
    const binary = repositoryFiles().filter((path) => readText(path).includes('\0'));
    expect({ large, binary }).toEqual({ large: [], binary: [] });
  });
});
