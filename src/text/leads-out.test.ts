import { describe, expect, it } from 'vitest';
import { leadsOut } from './leads-out.ts';

describe('leadsOut', () => {
  it.each([
    ['link', 'README.md'],
    ['link', './sub/file'],
    ['link', 'sub//./file'],
    ['link', '...'],
    ['link', '.gitignore'],
    ['a/b/link', '../../README.md'],
    ['a/b/link', '../..'],
    ['a/b/link', '..'],
  ])('%s to %s stays inside', (path, target) => expect(leadsOut(path, target)).toBe(false));

  it.each([
    ['link', '/etc/passwd'],
    ['link', '..'],
    ['link', '../other'],
    ['link', './../other'],
    ['a/b/link', '../../../other'],
    ['a/b/link', './..//../../other'],
    ['link', 'sub/../../other'],
    ['link', 'sub/..'],
    ['link', '.git/hooks'],
    ['a/link', '../.GIT/config'],
    ['link', ''],
    ['link', 'a\0b'],
  ])('%s to %j leads out', (path, target) => expect(leadsOut(path, target)).toBe(true));
});
