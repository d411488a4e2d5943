import { describe, expect, it } from 'vitest';
import { fillBranch, fillPath } from './feature-template.ts';

const VALUES = { name: 'a/b', repo: 'my repo', branch: 'feature/a/b' };

describe('templates', () => {
  it('know both ways to write a place', () => {
    expect(fillBranch('feature/<name>', VALUES)).toBe('feature/a/b');
    expect(fillBranch('{repo}/{name}', VALUES)).toBe('my-repo/a/b');
    expect(fillPath('~/worktrees/<name>', VALUES)).toBe('~/worktrees/a-b');
    expect(fillPath('../<repo>-{branch}', VALUES)).toBe('../my repo-feature-a-b');
  });

  it.each(['~/worktrees', '~/<nme>', '~/{constructor}/<name>'])('refuse %j', (template) => {
    expect(() => fillPath(template, VALUES)).toThrow(/worktree\.path/);
  });
});
