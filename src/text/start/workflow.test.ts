import { describe, expect, it } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { readWish } from './workflow.ts';

const FILES = ['docs/spec.md', 'my spec', 'notes.txt', 'chance'];
const wish = (...words: string[]) => readWish('auth', words, (path) => FILES.includes(path));

function refusal(...words: string[]): AppError {
  try {
    wish(...words);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error(`${words.join(' ')} was not refused`);
}

describe('what the words behind a feature ask for', () => {
  it.each([
    [[], { workflow: 'simple', source: null }],
    [['simple'], { workflow: 'simple', source: null }],
    [['simple', ''], { workflow: 'simple', source: null }],
    [['simple', 'login'], { workflow: 'simple', source: { text: 'login' } }],
    [['simple', 'log', 'in'], { workflow: 'simple', source: { text: 'log in' } }],
    [['simple', 'docs/spec.md'], { workflow: 'simple', source: { spec: 'docs/spec.md' } }],
    [['plan-only', 'log', 'in'], { workflow: 'plan-only', source: { text: 'log in' } }],
    [['plan-only', 'docs/spec.md'], { workflow: 'plan-only', source: { spec: 'docs/spec.md' } }],
    [['plan-and-implement', 'login'], { workflow: 'plan-and-implement', source: { text: 'login' } }],
    [['plan-and-implement', 'notes.txt'], { workflow: 'plan-and-implement', source: { spec: 'notes.txt' } }],
    [['implement-only'], { workflow: 'implement-only', source: null }],
    [['implement-only', 'my', 'spec'], { workflow: 'implement-only', source: { spec: 'my spec' } }],
    [['implement-only', 'log people in'], { workflow: 'implement-only', source: { text: 'log people in' } }],
    [['docs/spec.md'], { workflow: 'implement-only', source: { spec: 'docs/spec.md' } }],
    [['notes.txt'], { workflow: 'implement-only', source: { spec: 'notes.txt' } }],
    [['people can log in'], { workflow: 'plan-and-implement', source: { text: 'people can log in' } }],
    [['people', 'can', 'log', 'in'], { workflow: 'plan-and-implement', source: { text: 'people can log in' } }],
    [['read docs/spec.md'], { workflow: 'plan-and-implement', source: { text: 'read docs/spec.md' } }],
    [['`x` $(touch y)\n"z"'], { workflow: 'plan-and-implement', source: { text: '`x` $(touch y)\n"z"' } }],
  ])('%j', (words, wanted) => {
    expect(wish(...words)).toEqual(wanted);
  });

  it('refuses what it would have to guess, with a command to paste', () => {
    expect(refusal('plan-onyl').remedy).toBe('ralph start auth plan-only');
    expect(refusal('login').remedy).toBe('ralph start auth plan-and-implement login');
    expect(refusal('chance').remedy).toBe('ralph start auth plan-and-implement chance');
    expect(refusal('plan-only', 'gone.md').message).toContain('no file "gone.md"');
    expect(refusal('gone.md').message).toContain('no file "gone.md"');
    expect(refusal('implement-only', 'gone').code).toBe('E_USAGE');
    expect(refusal('plan-only').remedy).toContain('plan-only "what is wanted"');
    expect(refusal('simple', 'gone.md').message).toContain('no file "gone.md"');
    expect(refusal('').code).toBe('E_USAGE');
  });
});
