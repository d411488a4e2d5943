import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findExecutable } from '../../../src/world/processes/environment.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

function place(folder: string, name: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode });
  return join(folder, name);
}

describe('findExecutable', () => {
  it('takes the first of PATH that is a file and may be run', () => {
    const root = temporaryFolder();
    place(join(root, 'a'), 'agent', 0o644);
    mkdirSync(join(root, 'b', 'agent'), { recursive: true });
    const found = place(join(root, 'c'), 'agent');
    place(join(root, 'd'), 'agent');
    const path = ['a', 'b', 'none', 'c', 'd'].map((name) => join(root, name)).join(':');
    expect(findExecutable('agent', { PATH: path }, '/')).toBe(found);
    expect(findExecutable('other', { PATH: path }, '/')).toBeNull();
    expect(findExecutable('', { PATH: path }, '/')).toBeNull();
  });

  it('passes over a folder of PATH that cannot be looked into', () => {
    const root = temporaryFolder();
    const found = place(join(root, 'bin'), 'agent');
    // As good as one without permission, which root would not notice.
    symlinkSync('round', join(root, 'round'));
    expect(findExecutable('agent', { PATH: `${join(root, 'round')}:${join(root, 'bin')}` }, '/')).toBe(found);
  });

  it('takes a path as it is, relative to the folder given', () => {
    const root = temporaryFolder();
    const agent = place(join(root, 'bin'), 'agent');
    place(root, 'text', 0o644);
    symlinkSync(agent, join(root, 'link'));
    expect(findExecutable(agent, {}, '/')).toBe(agent);
    expect(findExecutable('./bin/agent', {}, root)).toBe(agent);
    expect(findExecutable('./link', {}, root)).toBe(join(root, 'link'));
    expect(findExecutable('./text', {}, root)).toBeNull();
    expect(findExecutable('./bin', {}, root)).toBeNull();
  });

  it('never finds a bare name in the working folder', () => {
    const root = temporaryFolder();
    place(root, 'agent');
    expect(findExecutable('agent', { PATH: ':.:' }, root)).toBeNull();
  });

  it('finds the usual commands without a PATH', () => {
    expect(findExecutable('sh', {}, '/')).toMatch(/\/bin\/sh$/);
  });
});
