import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { PROMISE, promptProject, readBook, tellAgents, writeAgent } from '../harness/prompt-project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { tmuxEnv } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

const treeOf = (one: Scratch, name: string): string => join(one.home, 'worktrees', name);

interface Row {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly why: string;
}
const rows = async (one: Scratch): Promise<readonly Row[]> =>
  listOf((await ralph(one, ['loops', 'list', '--all', '--json'])).stdout, 'loops') as unknown as Row[];

/** Commits a part, leaves another as it is, and then never ends. */
const HALF = `echo part > part.txt; git add part.txt; git commit -qm part; echo more > more.txt
echo x > "$BOOKS/half"; hold never`;
const REST = `echo rest > rest.txt\n${PROMISE}`;

async function half(one: Scratch): Promise<ReturnType<typeof startRalph>> {
  const first = startRalph(one, ['start', 'again', 'begin it please'], { env: tmuxEnv(one) });
  await until('the agent has done a part', () => readBook(one, 'half') !== '');
  return first;
}

describe('ralph start on a feature whose loop was stopped', () => {
  it('goes on with what stands on the branch, and all of it lands', async () => {
    const one = scratch();
    promptProject(one, HALF);
    const first = await half(one);
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(130);
    writeAgent(one, REST);
    const second = await ralph(one, ['start', 'again', 'finish it please'], { env: tmuxEnv(one) });
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(one.git('ls-tree', '--name-only', 'main')).toMatch(/more\.txt\npart\.txt[^]*rest\.txt/);
    const [old, young] = await rows(one);
    expect([old?.state, young?.state]).toEqual(['parked', 'landed']);
    expect(old).toMatchObject({ reason: 'replaced', why: `loop ${young?.id} continues on its branch` });
    const why = await ralph(one, ['why', old?.id ?? '']);
    expect(why.stdout).toContain('Another loop replaced it');
  });

  it('does so by its launch script, and also if nothing is left to do', async () => {
    const one = scratch();
    promptProject(one, HALF);
    const first = await half(one);
    first.signal('SIGINT');
    await first.ended;
    writeAgent(one, PROMISE);
    const script = join(treeOf(one, 'again'), 'start-shell.sh');
    const second = await startRalph(one, [], { prefix: ['sh', '-c', 'exec "$0"', script], cwd: one.home }).ended;
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(one.git('show', 'main:part.txt')).toBe('part');
  });

  it('does not land what has to be looked at only because another loop goes on with it', async () => {
    const one = scratch();
    promptProject(one, `mkdir .claude; echo '{}' > .claude/settings.json; ${PROMISE}`);
    expect((await ralph(one, ['start', 'again', 'begin it please'], { env: tmuxEnv(one) })).code).toBe(1);
    writeAgent(one, REST);
    const second = await ralph(one, ['start', 'again', 'finish it please'], { env: tmuxEnv(one) });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('.claude/settings.json')]);
    expect((await rows(one)).map((row) => row.reason)).toEqual(['replaced', 'protected']);
  });

  it('says what is left on the branch of one that was discarded, before its agent starts', async () => {
    const one = scratch();
    promptProject(one, `echo bad > bad.txt\n${PROMISE}`);
    const start = (...more: string[]): ReturnType<typeof ralph> =>
      ralph(one, ['start', 'again', 'do it please', ...more], { env: tmuxEnv(one) });
    expect((await start('--no-auto-merge')).code).toBe(0);
    const [first] = await rows(one);
    await ralph(one, ['loops', 'discard', first?.id ?? '', '-y', '--force']);
    writeAgent(one, `echo good > good.txt\n${PROMISE}`);
    const second = await start('--no-auto-merge');
    const said =
      /feature\/again holds 1 commit since loop (\S+) began there, which was discarded.*without them: git (.*)\n/;
    const [, loop = '', reset = ''] = said.exec(second.stderr) ?? [];
    expect([loop, second.stderr.indexOf('discarded') < second.stderr.indexOf('iteration 1')]).toEqual([
      first?.id,
      true,
    ]);
    await ralph(one, ['loops', 'discard', (await rows(one))[1]?.id ?? '', '-y', '--force']);
    one.git(...reset.split(' '));
    const third = await start();
    expect([third.code, third.stderr]).toEqual([0, expect.not.stringContaining('discarded')]);
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('bad.txt');
  });

  it('stops one that works there where that is asked for, keeps what it did, and lands all of it', async () => {
    const one = scratch();
    promptProject(one, HALF);
    const first = await half(one);
    const refused = await ralph(one, ['start', 'again', 'finish it please'], { env: tmuxEnv(one) });
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("'finish it please' --replace")]);
    writeAgent(one, REST);
    const second = await ralph(one, ['start', 'again', 'finish it please', '--replace'], { env: tmuxEnv(one) });
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect((await first.ended).code).toBe(143);
    expect(one.git('show', 'main:more.txt')).toBe('more');
    tellAgents(one, 'never');
  });
});
