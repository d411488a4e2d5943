import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { isAlive } from '../e2e/harness/processes.ts';
import { beside } from '../e2e/harness/ralph.ts';
import type { Running } from '../e2e/harness/ralph.ts';
import { until } from '../e2e/harness/until.ts';
import { arena } from './harness/arena.ts';
import type { Arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, costOf, lasting, loopProcesses, statusOf } from './harness/looks.ts';
import { HONEST, USAGE } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--events'];
const GONE_MS_MAX = 60_000;
const WAITS = 'while ! test -e ../../../../go; do sleep 0.1; done';

/** The clients our driver talks with. */
const TALKING = [
  { name: 'claude', driver: 'claude-stdio' },
  { name: 'codex', driver: 'codex-app-server' },
  { name: 'opencode', driver: 'acp' },
] as const;

interface Adopted {
  readonly one: Arena;
  /** The host that came after the killed one. */
  readonly again: Running;
  /** What the iteration was when its host was killed: shim, driver, client. */
  readonly before: readonly number[];
}

const inboxOf = (one: Arena, loop: string): readonly string[] =>
  readdirSync(join(one.repo, '.git/paralph/runs', loop, '1/inbox'));

/** Says something to the one loop there is. */
async function steer(one: Arena, text: string): Promise<{ readonly loop: string; readonly said: string }> {
  const loop = (await statusOf(one)).workers[0]?.loop ?? '';
  const { code, stderr } = await one.ralph(['loops', 'steer', loop, text]);
  expect(code, stderr).toBe(0);
  return { loop, said: stderr };
}

/** What is said while a tool runs is handed on at once. */
async function steerAtOnce(one: Arena, text: string): Promise<void> {
  const { loop, said } = await steer(one, text);
  expect(said).toMatch(/the message now/);
  await until('it is handed on', () => inboxOf(one, loop).some((file) => file.endsWith('.taken')));
}

/** Kills the host while a tool of the client runs, and starts another; `early`: what is said before that. */
async function adopt({ name, driver }: (typeof TALKING)[number], early: readonly string[] = []): Promise<Adopted> {
  const one = await arena({
    clients: [name],
    tasks: ['t1'],
    config: { [`agents.${name}`]: { driver } },
    scenario: { turns: [{ shell: WAITS }, ...HONEST] },
  });
  const run = one.start(RUN);
  await until('the tool waits', () => loopProcesses(one).some((found) => found.command.startsWith('sleep')), 60_000);
  const isTool = /^(?:sleep|\S*sh -c while)/;
  const before = await lasting(() =>
    loopProcesses(one)
      .filter((found) => !isTool.test(found.command))
      .map((found) => found.pid),
  );
  expect(before.length).toBeGreaterThanOrEqual(3);
  for (const text of early) await steerAtOnce(one, text);
  run.signal('SIGKILL');
  await run.ended;
  const again = one.start(RUN);
  await again.waitFor(/host-started|loop-adopted/);
  return { one, again, before };
}

describe('the host is killed while its driver talks with a client', () => {
  for (const talking of TALKING) {
    const { name, driver } = talking;
    itWith(name)(`${driver}: the same processes work on, guidance reaches them, their result is used`, async () => {
      const early = name === 'claude' ? ['Make it round.'] : [];
      const { one, again, before } = await adopt(talking, early);
      expect(before.filter((pid) => !isAlive(pid))).toEqual([]);
      const { loop } = await steer(one, 'Paint it blue.');
      await until('it lies in the inbox', () => inboxOf(one, loop).length === early.length + 1);
      writeFileSync(beside(one, 'go'), '');
      const { code, stderr } = await again.ended;
      expect(code, stderr).toBe(0);
      expect(inboxOf(one, loop)).toHaveLength(early.length + 1);
      for (const file of inboxOf(one, loop)) expect(file).toMatch(/^\d+\.json\.taken$/);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      for (const text of [...early, 'Paint it blue.'])
        expect(
          one.model.asked('t1').some((asked) => asked.raw.includes(text)),
          text,
        ).toBe(true);
      expect(again.output().stdout).not.toContain('"n":2');
      expect(begun(one, 't1')).toBe(1);
      // The protocol of opencode tells the last answers only.
      const answers = one.model.asked('t1').length;
      if (driver !== 'acp') expect((await costOf(one)).total).toMatchObject({ output_tokens: answers * USAGE.output });
    });
  }

  // Each driver's own way to stop its client is in stopping.test.ts.
  itWith('claude')('claude-stdio: a stop ends all of them', async () => {
    const { one, again, before } = await adopt(TALKING[0]);
    again.signal('SIGINT');
    await until('no process of the loop', () => loopProcesses(one).length === 0, GONE_MS_MAX);
    expect((await again.ended).code).toBe(130);
    expect(before.filter(isAlive)).toEqual([]);
  });
});
