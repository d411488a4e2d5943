import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { markdownTasks } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

/** A PATH on which only git, node and a pretended agent are to be found. */
function withAgent(one: Scratch, name: string): Record<string, string> {
  const bin = beside(one, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, name), '#!/bin/sh\necho 9.9.9\n');
  chmodSync(join(bin, name), 0o755);
  return { PATH: `${bin}:${one.env['PATH'] ?? ''}` };
}

describe('init', () => {
  it('writes a commented ralph.toml, finds tracker and agent, says what to do next; every value is the default or what was found', async () => {
    const one = scratch();
    one.put('PRD.md', markdownTasks(['a']));
    const env = withAgent(one, 'claude');
    const { code, stdout, stderr } = await ralph(one, ['init'], { env });
    expect(code).toBe(0);
    const text = readFileSync(join(one.repo, 'ralph.toml'), 'utf8');
    expect(text).toMatch(/^\s*#/m);
    expect(text).toContain('[parallel]');
    expect(text + stdout + stderr).toContain('PRD.md');
    expect(text).toContain('claude');
    expect(stdout + stderr).toContain('ralph run');
    expect((await ralph(one, ['config', 'check'], { env })).code).toBe(0);
    for (const [key, usual] of Object.entries({ merge_policy: 'manual', enabled: 'false' }))
      expect((await ralph(one, ['config', 'get', `parallel.${key}`], { env })).stdout.trim()).toBe(usual);
  });

  it('never overwrites a config that is there', async () => {
    const one = scratch();
    one.put('ralph.toml', '# mine\n');
    const { code, stderr } = await ralph(one, ['init']);
    expect(code).toBe(3);
    expect(stderr).toContain('ralph.toml');
    expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toBe('# mine\n');
  });

  it('outside a repository: exit 4, nothing written', async () => {
    const one = scratch({ hasRepository: false });
    expect((await ralph(one, ['init'])).code).toBe(4);
    expect(existsSync(join(one.repo, 'ralph.toml'))).toBe(false);
  });
});
