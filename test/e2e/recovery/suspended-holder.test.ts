import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { leaveSuspended } from '../harness/leave-suspended.ts';
import { project } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--events'];
const LONG = { timeoutMs: 120_000 };

describe('a host that is suspended while it publishes', () => {
  it('is named to those who wait for it, with the command; Ctrl-C ends the waiting; woken, it publishes', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const host = startRalph(one, RUN, { ...LONG, failpoints: 'publish.begun=stop' });
    await host.waitFor(/failpoint publish\.begun stop/);
    await leaveSuspended(host.pid);
    const other = startRalph(one, RUN, LONG);
    const said = new RegExp(
      `waiting: process ${host.pid}, which is suspended, holds \\S+locks/publish since .*kill -CONT ${host.pid}`,
    );
    await other.waitFor(said);
    other.signal('SIGINT');
    expect((await other.ended).code).toBe(130);
    const { stdout } = await ralph(one, ['doctor', '--fix']);
    expect(stdout).toMatch(
      new RegExp(`suspended, holds \\S+locks/publish since.*\\n\\s+fix: kill -CONT ${host.pid}\\n`),
    );
    expect(landedTasks(one.git, 'main')).toEqual([]);
    host.signal('SIGCONT');
    expect((await host.ended).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['a']);
  });
});
