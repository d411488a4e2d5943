import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { bundle } from '../harness/bundle.ts';
import { gitIn } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';

/** Each as nasty as it gets, and one word to find it by. */
const HOSTILE = [
  'escape \u001b]52;c;eA==\u0007\u001b[31mred',
  'shell $(touch CANARY) `touch CANARY`; touch CANARY',
  'lines\n- planted\n# Memories',
  `long ${'x'.repeat(300)}`,
  'unicode \u202Eevil é 😀 漢字',
];
const texts = async (one: Scratch): Promise<readonly unknown[]> =>
  listOf((await ralph(one, ['memory', 'list', '--json'])).stdout, 'memories').map(({ text }) => text);

describe('memories', () => {
  it('scenario 39: two writers with 300 each, from two worktrees, lose none of the 600', async () => {
    const one = scratch();
    shellProject(one, 'true', { tasks: ['alpha'] });
    const git = gitIn(one.repo, one.env);
    const places = ['left', 'right'].map((name) => {
      git('worktree', 'add', '-q', beside(one, name));
      return { name, cwd: beside(one, name) };
    });
    await Promise.all(
      places.map(async ({ name, cwd }) => {
        const client = new Client({ name, version: '1' });
        onTestFinished(() => client.close());
        await client.connect(
          new StdioClientTransport({
            command: process.execPath,
            args: [bundle().main, 'mcp'],
            cwd,
            env: { ...one.env },
          }),
        );
        for (let at = 0; at < 300; at += 1) {
          const text = at < HOSTILE.length ? `${name} ${HOSTILE[at] ?? ''}` : `${name} ${at}`;
          const { isError } = await client.callTool({ name: 'memory_add', arguments: { text } });
          expect(isError).not.toBe(true);
        }
      }),
    );
    const kept = await texts(one);
    expect(new Set(kept).size).toBe(600);
    for (const { name, cwd } of places) {
      for (let at = HOSTILE.length; at < 300; at += 1) expect(kept).toContain(`${name} ${at}`);
      expect(gitIn(cwd, one.env)('status', '--porcelain')).toBe('');
      expect(existsSync(join(cwd, '.ralph'))).toBe(false);
    }
    // What was nasty is there to be read, and acts nowhere.
    const listed = await ralph(one, ['memory', 'search', 'left']);
    // oxlint-disable-next-line no-control-regex
    expect(listed.stdout).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(listed.stderr).toBe('');
    for (const word of ['$(touch CANARY)', 'planted', 'x'.repeat(300), '😀 漢字'])
      expect(listed.stdout).toContain(word);
    expect(existsSync(join(one.repo, 'CANARY'))).toBe(false);
  });

  it('reach the prompt, and are changed and removed one at a time', async () => {
    const one = scratch();
    shellProject(one, `echo made > made.txt; ralph memory edit m x 2> ${beside(one, 'said')} || true; ralph done`, {
      tasks: ['alpha'],
    });
    writeFileSync(
      beside(one, 'agent.sh'),
      readFileSync(beside(one, 'agent.sh'), 'utf8').replace('/dev/null', beside(one, 'prompt')),
    );
    const added = await ralph(one, ['memory', 'add', 'the canary sings at dawn', '--json']);
    const { id } = JSON.parse(added.stdout) as { readonly id: string };
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(readFileSync(beside(one, 'prompt'), 'utf8')).toContain('the canary sings at dawn');
    expect(readFileSync(beside(one, 'said'), 'utf8')).toContain('E_NESTED');

    const short = id.slice(0, 4);
    const outside = join(one.repo, '.ralph');
    const changed = await ralph(one, ['memory', 'edit', short, 'it sings', 'at noon', '--json'], { cwd: outside });
    expect(JSON.parse(changed.stdout)).toMatchObject({ id, before: 'the canary sings at dawn' });
    expect(await texts(one)).toEqual(['it sings at noon']);
    const refusals: Readonly<Record<string, readonly string[]>> = {
      "missing required argument 'id'": ['edit'],
      'the memory has no words': ['edit', short],
      'no memory is called': ['edit', 'nobody', 'x'],
      'either changed or removed': ['edit', short, 'x', '--delete'],
    };
    await Promise.all(
      Object.entries(refusals).map(async ([said, args]) => {
        const { code, stderr } = await ralph(one, ['memory', ...args]);
        expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
        expect(stderr).toContain('ralph memory');
      }),
    );
    expect((await ralph(one, ['memory', 'edit', short, '--delete'])).code).toBe(0);
    expect(await texts(one)).toEqual([]);
  });
});
