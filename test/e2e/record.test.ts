import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';

import { describe, expect, it } from 'vitest';

import { readState } from '../../src/faces/cli/project.ts';
import { ourProgram } from '../../src/world/agent-run/our-program.ts';
import { findRepository } from '../../src/world/git/repository.ts';
import { openView } from '../../src/world/git/view.ts';
import { recordLoop } from '../../src/world/record/record-loop.ts';
import { checkRecordFile, loadRecord } from '../../src/world/record/record-file.ts';
import { replayAgent } from '../../src/world/record/replay-agent.ts';
import { bundle } from './harness/bundle.ts';
import { beside, ralph, startRalph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';
import { shellProject } from './harness/shell-agent.ts';
import { until } from './harness/until.ts';

/** Two iterations with all a patch and an output can hold; the gates are green after the second only. */
const AGENT = `
printf 'said \\377\\n'; echo "warned $RALPH_ITERATION" >&2
if [ "$RALPH_ITERATION" = 1 ]; then
  printf 'a\\0b\\377' > binary; printf 'caf\\351\\n' > latin.txt; echo run > tool.sh; chmod +x tool.sh; ln -s tool.sh link
  echo kept > secret.ignored; git add -f secret.ignored; git commit -qm 'Keep it'; git rm -q README.md
  ralph progress 'half way'
else
  echo 'two words' > 'a file'; echo more >> tool.sh
  ralph done --  '--all of it'
fi
`;

async function record(one: Scratch, file: string): Promise<Awaited<ReturnType<typeof recordLoop>>> {
  const repo = findRepository(one.repo);
  const state = await readState(repo);
  const [loop] = Object.values(state.loops);
  if (loop === undefined) throw new Error('there is a loop');
  return recordLoop({ repo, view: await openView(repo), state, loop: loop.id, file, promise: 'COMPLETE' });
}

describe('a recorded loop', () => {
  it('is played again in a fresh clone without its agent: the same tree lands', async () => {
    const one = scratch();
    shellProject(one, AGENT, {
      tasks: [],
      config: { gates: { commands: ["test -e 'a file'"] } },
      files: { '.gitignore': '*.ignored\n' },
    });
    const base = one.git('rev-parse', 'HEAD');
    const file = beside(one, 'loop.jsonl');
    const made = await ralph(one, [
      'run',
      'Make alpha',
      '--worktree',
      '--completion-promise',
      'HURRAY',
      '--record',
      file,
    ]);
    expect([made.code, made.stderr]).toEqual([
      0,
      expect.stringContaining('recorded 2 iterations; again without the agent: git branch replay/make-alpha-'),
    ]);
    const recorded = loadRecord(file);
    expect(recorded.header).toMatchObject({
      record: 1,
      title: 'Make alpha',
      driver: 'text',
      promise: 'HURRAY',
      base,
    });
    expect(recorded.iterations).toMatchObject([
      { n: 1, exit: 0, stderr: 'warned 1\nnoted\n', verbs: [['progress', 'half way']], outcome: 'worked' },
      { n: 2, exit: 0, stdout: { base64: expect.any(String) }, verbs: [['done', '--all of it']] },
    ]);
    expect(recorded.iterations[0]?.prompt).toContain('Make alpha');
    expect(lstatSync(file).mode & 0o077).toBe(0);

    const two = scratch();
    two.git('fetch', '-q', one.repo, base);
    two.git('reset', '-q', '--hard', base);
    rmSync(beside(one, 'agent.sh'));
    const again = beside(two, 'again.jsonl');
    const replayed = await ralph(two, ['run', '--replay', file, '--record', again], { isCheckoutGuarded: false });
    expect([replayed.code, replayed.stderr]).toEqual([0, expect.stringContaining('recorded 2 iterations')]);
    expect(two.git('rev-parse', 'main^{tree}')).toBe(one.git('rev-parse', 'main^{tree}'));
    expect(two.git('show', 'main:secret.ignored')).toBe('kept');
    expect(loadRecord(again).header).toMatchObject({ title: 'Make alpha', prompt: 'Make alpha', promise: 'HURRAY' });
    const outputs = (path: string): readonly unknown[] =>
      loadRecord(path).iterations.map(({ stdout, stderr, exit, verbs, patch }) => [stdout, stderr, exit, verbs, patch]);
    expect(outputs(again)).toEqual(outputs(file));

    const [, branch = '', from = '', words = ''] = /git branch (\S+) (\S+) && ralph (.*)/.exec(made.stderr) ?? [];
    one.git('branch', branch, from);
    const pasted = await ralph(one, words.split(' '), { isCheckoutGuarded: false });
    expect(pasted.code, pasted.stderr).toBe(0);
    expect(one.git('rev-parse', `${branch}^{tree}`)).toBe(one.git('rev-parse', 'main^{tree}'));

    const [node = '', ...args] = replayAgent(file, ourProgram([bundle().main])).agent.command;
    const alone = (n: string): readonly unknown[] => {
      const env = { ...two.env, RALPH_ITERATION: n };
      const { status, stderr } = spawnSync(node, args, { cwd: two.repo, env, input: 'the prompt' });
      return [status, String(stderr)];
    };
    expect(alone('1')).toEqual([1, expect.stringContaining('the patch of iteration 1 does not apply here')]);
    expect(alone('9')).toEqual([1, expect.stringContaining('has no iteration 9: it ends with 2')]);
    expect(two.git('status', '--porcelain')).toBe('');

    await placesOfRecords(one, file);
  });

  it('is written as far as it came when it is stopped', async () => {
    const one = scratch();
    const there = beside(one, 'there');
    shellProject(
      one,
      `echo "at $RALPH_ITERATION" > at.txt; echo "said $RALPH_ITERATION"
       [ "$RALPH_ITERATION" = 1 ] || { touch ${there}; exec sleep 100; }`,
      { tasks: [], config: { gates: { commands: ['false'] } } },
    );
    const file = beside(one, 'half.jsonl');
    const run = startRalph(one, ['run', 'Make alpha', '--worktree', '--record', file]);
    await until('the second iteration', () => existsSync(there));
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(loadRecord(file).iterations).toMatchObject([
      { n: 1, stdout: 'said 1\n', exit: 0, patch: expect.stringContaining('+at 1\n') },
      { n: 2, stdout: 'said 2\n', exit: null },
    ]);
  });
});

/** Where a record may be written, and what is left of it if not. */
async function placesOfRecords(one: Scratch, file: string): Promise<void> {
  expect(await record(one, file)).toMatchObject({ replaced: true });
  const [mine, link] = [beside(one, 'mine.txt'), beside(one, 'link.jsonl')];
  writeFileSync(mine, 'my own words\n');
  symlinkSync(file, link);
  const refusals: Readonly<Record<string, RegExp>> = {
    [mine]: /mine\.txt is there already and is no record/,
    [link]: /link\.jsonl cannot be written: it is a link/,
    [one.repo]: /is there already and is no record/,
    [beside(one, 'nowhere/x.jsonl')]: /nowhere is no folder/,
  };
  for (const [path, message] of Object.entries(refusals)) {
    expect(() => checkRecordFile(path)).toThrow(message);
    await expect(record(one, path)).rejects.toMatchObject({ code: 'E_RECORD', remedy: expect.any(String) });
  }
  expect([readFileSync(mine, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['my own words\n', true]);
  mkdirSync(beside(one, 'records'));
  await record(one, beside(one, 'records/x.jsonl'));
  expect(readdirSync(beside(one, 'records'))).toEqual(['x.jsonl']);
  writeFileSync(mine, readFileSync(file, 'utf8').replace('"n":2', '"n":1'));
  expect(() => loadRecord(mine)).toThrow(`${mine}:3: `);
  expect(() => loadRecord(beside(one, 'nothing'))).toThrow(/is not there/);
  expect(existsSync(beside(one, 'nothing'))).toBe(false);
}
