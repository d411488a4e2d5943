import { describe, expect } from 'vitest';

import { parseEvents } from '../e2e/harness/events.ts';
import { landedTasks } from '../e2e/harness/git.ts';
import { arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { costOf, statusOf } from './harness/looks.ts';
import { REFUSED_KEY, SUBSCRIPTION, usageLimit } from './harness/refusals.ts';
import { HONEST } from './model-server/scenario.ts';

const PARALLEL = ['run', '--parallel', '--max-workers', '2'];
const TASKS = ['t1', 't2'];

describe('A3 usage limits', () => {
  itWith('claude')(
    'A3 claude at its limit: all loops pause, go on by themselves, and no attempt is counted',
    async () => {
      const limit = usageLimit(20);
      const limited = [[{ error: limit.refusal, times: 1 }, ...HONEST]];
      const one = await arena({
        clients: ['claude'],
        tasks: TASKS,
        scenario: { byTask: { t1: limited, t2: limited }, turns: HONEST },
        env: SUBSCRIPTION,
      });
      const run = one.start([...PARALLEL, '--events']);
      await run.waitFor(/account-held/, 60_000);
      const [held] = (await statusOf(one)).accounts;
      expect(held).toMatchObject({
        account: 'claude',
        kind: 'limit',
        until: new Date(limit.resetsAtMs()).toISOString(),
      });
      expect((await one.ralph(['status'])).stdout).toMatch(/claude is held/);
      const { code, stdout, stderr } = await run.ended;
      expect(code, stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(TASKS);
      const refused = one.model.asked().filter((asked) => asked.status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const asked of one.model.asked().filter((other) => other.status !== 429))
        expect(asked.atMs, `${asked.task} asked again before the limit was over`).toBeGreaterThanOrEqual(
          limit.resetsAtMs(),
        );
      const claims = parseEvents(stdout).filter((event) => event.type === 'task-claimed');
      expect(claims).toHaveLength(TASKS.length);
    },
  );

  itWith('claude', 'codex')('claude limited for an hour: codex takes over and lands', async () => {
    const limit = usageLimit(3600);
    const one = await arena({
      clients: ['claude', 'codex'],
      fallback: ['codex'],
      tasks: ['t1'],
      scenario: { byTask: { t1: [[{ error: limit.refusal, times: 1 }, ...HONEST]] } },
      env: SUBSCRIPTION,
    });
    const { code, stderr } = await one.ralph(PARALLEL);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
    expect(one.model.asked('t1').at(-1)?.conversation.model).toBe('scripted');
    expect((await costOf(one)).agents.map((agent) => agent.agent)).toContain('codex');
    expect((await statusOf(one)).accounts).toMatchObject([
      { account: 'claude', until: new Date(limit.resetsAtMs()).toISOString() },
    ]);
  });
});

describe('a key that is refused', () => {
  itWith('claude')('claude alone: it says how to log in, and goes on where it was once that is done', async () => {
    // Asked once, and once more by the client itself.
    const one = await arena({
      clients: ['claude'],
      tasks: ['t1'],
      scenario: { byTask: { t1: [[{ error: REFUSED_KEY, times: 2 }, ...HONEST]] } },
    });
    const { code, stderr } = await one.ralph(PARALLEL);
    expect(code).toBe(6);
    expect(stderr).toContain('claude /login');
    const again = await one.ralph(PARALLEL);
    expect(again.code, again.stderr).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
  });
});
