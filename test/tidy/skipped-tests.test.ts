import { describe, expect, it } from 'vitest';
import { findAll, repositoryFiles } from './support/repository.ts';

/** A test that cannot run here says why through this file, which prints the reason. */
const HELPER = 'test/needs.ts';
const FOCUSED_OR_SKIPPED =
  /\b(?:it|test|describe|suite)\.(?:only|skip|todo|fails|skipIf|runIf)\b|\b[xf](?:it|describe)\(/;

describe('tests', () => {
  it('are neither focused nor skipped in silence', () => {
    const tests = repositoryFiles().filter((path) => /^(?:src|test)\/.*\.ts$/.test(path) && path !== HELPER);
    expect(findAll(tests, FOCUSED_OR_SKIPPED)).toEqual([]);
  });
});
