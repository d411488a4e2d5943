import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featureName, newBranchName, slugOf } from './feature-name.ts';

const refusal = (act: () => unknown): { code: string; remedy: string; message: string } => {
  try {
    act();
  } catch (error) {
    return error as never;
  }
  throw new Error('was taken');
};

describe('featureName', () => {
  it.each(['login', 'Login-2', 'größe', '日本語', 'a/b', 'v1.2_x', 'x'.repeat(100)])('takes %j', (name) => {
    expect(featureName(name)).toBe(name);
  });

  it.each([
    ['x; touch canary', 'ralph worktree new x-touch-canary'],
    ['$(touch canary)', 'ralph worktree new touch-canary-'],
    ["it's", 'ralph worktree new it-s'],
    ['a "b"', 'ralph worktree new a-b'],
    ['../up', 'ralph worktree new up'],
    ['a..b', 'ralph worktree new a.b'],
    ['a\nb', 'ralph worktree new a-b'],
    ['-rf', 'ralph worktree new rf'],
    ['.git', 'ralph worktree new git'],
    ['a/.b', 'ralph worktree new a-.b'],
    ['x.lock', 'ralph worktree new x'],
    ['x.', 'ralph worktree new x'],
    ['a//b', 'ralph worktree new a-b'],
    ['/a', 'ralph worktree new a'],
    ['a/', 'ralph worktree new a'],
    ['', 'ralph worktree new feature'],
    ['\u202Ex', 'ralph worktree new x'],
    ['x'.repeat(300), `ralph worktree new ${'x'.repeat(60)}`],
  ])('refuses %j with a name that can be had', (name, remedy) => {
    const { code, remedy: offered, message } = refusal(() => featureName(name));
    expect([code, offered.replace(/-$/, '')]).toEqual(['E_NAME', remedy.replace(/-$/, '')]);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('offers, for any text, a name that it takes', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => featureName(slugOf(text)) !== ''));
  });
});

it('a new branch has the same letters, and no meaning of its own', () => {
  expect(newBranchName('fix/a-b')).toBe('fix/a-b');
  for (const name of ['HEAD', 'refs/heads/x', 'a b', '-x', 'a@{1}', 'a~1', 'x'.repeat(201)])
    expect(refusal(() => newBranchName(name)).code, name).toBe('E_NAME');
});
