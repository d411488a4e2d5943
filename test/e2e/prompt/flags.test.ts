import { renameSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { foldersOf, HONEST_SH, promptFor, promptProject, readBook, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const FLAGS = ['--agent', 'shell', '--no-auto-merge', '--completion-promise', 'ALL SAID', '--target', 'develop'];

describe('what a single loop was started with', () => {
  it('holds for whoever goes on with it, and for where it lands', async () => {
    const one = scratch();
    promptProject(one, 'echo not yet', { agent: 'nobody', 'agents.nobody': { command: ['false'] } });
    one.git('branch', 'develop');
    const main = one.git('rev-parse', 'main');
    const begun = await ralph(one, ['run', promptFor('first'), '--worktree', '--max-iterations', '1', ...FLAGS]);
    expect([begun.code, begun.stderr]).toEqual([1, expect.stringContaining('(iterations)')]);

    writeAgent(one, HONEST_SH.replace('COMPLETE', 'ALL SAID'));
    const again = await ralph(one, ['run', '--continue']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/0 landed, 1 ready/)]);
    expect(readBook(one, 'first.prompt')).toContain('<promise>ALL SAID</promise>');
    expect([one.git('rev-parse', 'main'), one.git('rev-parse', 'develop')]).toEqual([main, main]);

    const [{ id = '' } = {}] = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops') as { id?: string }[];
    const process = await ralph(one, ['loops', 'process']);
    expect([process.code, process.stderr]).toEqual([
      0,
      expect.stringContaining(`${id} lands on develop: ralph loops merge ${id}`),
    ]);
    expect((await ralph(one, ['loops', 'merge', id])).code).toBe(0);
    expect([one.git('rev-parse', 'main'), one.git('show', 'develop:first.txt')]).toEqual([main, 'made by first']);
  });

  it('holds for its place: begun in a worktree of yours, it goes on there, from wherever that is said', async () => {
    const one = scratch();
    promptProject(one, 'echo not yet');
    const topic = beside(one, 'topic');
    one.git('worktree', 'add', '-q', '-b', 'topic', topic);
    const begun = await ralph(one, ['run', promptFor('first'), '--max-iterations', '1'], { cwd: topic });
    expect([begun.code, begun.stderr]).toEqual([
      1,
      expect.stringContaining(`working in the worktree ${topic} (topic)`),
    ]);
    writeAgent(one, HONEST_SH);
    renameSync(topic, `${topic}-away`);
    const gone = await ralph(one, ['run', '--continue']);
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining(`worktree add -f ${topic} topic`)]);
    renameSync(`${topic}-away`, topic);
    const again = await ralph(one, ['run', '--continue']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(foldersOf(one, 'first')).toEqual([topic, topic]);
    expect(one.git('show', 'main:first.txt')).toBe('made by first');
  });
});
