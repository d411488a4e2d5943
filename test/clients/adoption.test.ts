import { writeFileSync } from 'node:fs';

import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { beside } from '../e2e/harness/ralph.ts';
import { until } from '../e2e/harness/until.ts';
import { arena } from './harness/arena.ts';
import type { Arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, costOf, lasting, loopProcesses } from './harness/looks.ts';
import { HONEST } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--events'];
/** The client itself, neither the shim that started it nor what it started. */
const claudes = (one: Arena): number[] =>
  loopProcesses(one)
    .filter((found) => /^(?:\S*\/)?claude(?:\.exe)? .*--output-format/.test(found.command))
    .map((found) => found.pid);

describe('A5 the host is killed while claude works', () => {
  itWith('claude')('A5 the next host adopts the same process and uses its result', async () => {
    const shell = 'while ! test -e ../../../../go; do sleep 0.1; done';
    const one = await arena({ clients: ['claude'], tasks: ['t1'], scenario: { turns: [{ shell }, ...HONEST] } });
    const run = one.start(RUN);
    await until('the tool waits', () => loopProcesses(one).some((found) => found.command.startsWith('sleep')), 60_000);
    const working = await lasting(() => claudes(one));
    expect(working).toHaveLength(1);
    run.signal('SIGKILL');
    await run.ended;

    const again = one.start(RUN);
    await again.waitFor(/host-started|loop-adopted/);
    expect(await lasting(() => claudes(one))).toEqual(working);
    writeFileSync(beside(one, 'go'), '');
    const { code, stderr } = await again.ended;
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
    expect(begun(one, 't1')).toBe(1);
    const { tasks } = await costOf(one);
    expect(tasks[0]?.loops.map((loop) => loop.iterations.length)).toEqual([1]);
    expect(tasks[0]?.usage.output_tokens).toBe(200);
  });
});
