import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { isAlive } from '../e2e/harness/processes.ts';
import { until } from '../e2e/harness/until.ts';
import { arena } from './harness/arena.ts';
import { ALL } from './harness/clients.ts';
import type { ClientName } from './harness/clients.ts';
import { itWith } from './harness/it-with.ts';
import { begun, loopProcesses } from './harness/looks.ts';
import { HONEST } from './model-server/scenario.ts';
import type { Turn } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
/** Far less than its tool would take. */
const GONE_MS_MAX = 60_000;
const LONG = 'sleep 300';
/** Some clients refuse to do nothing but sleep. */
const SHELL = `echo begun; ${LONG}; echo ended`;
const [write, ...rest] = HONEST;
const HELD: readonly Turn[] = [{ ...write, after: 'looked' }, ...rest];

/** The others are stopped in the same way as these; `CLIENTS=all` shows it. */
const STOPPED = new Set(['claude', 'codex', 'gemini', 'opencode']);
const CHOSEN = ALL.filter(({ name }) => process.env['CLIENTS'] === 'all' || STOPPED.has(name));

/** Those two are asked to stop in a way of their own when they are talked with. */
const TALKED = [
  { name: 'claude', driver: 'claude-stdio' },
  { name: 'codex', driver: 'codex-app-server' },
] as const;

/** Stopped while a tool runs, and nothing of it is left; the processes there were. */
async function stopped(name: ClientName, table: Readonly<Record<string, string>> = {}) {
  const one = await arena({
    clients: [name],
    config: { [`agents.${name}`]: table },
    tasks: ['t1'],
    scenario: { byTask: { t1: [[{ shell: SHELL }], HELD] } },
  });
  const run = one.start(RUN);
  const isLong = (): boolean => loopProcesses(one).some((found) => found.command === LONG);
  await until('the tool runs', isLong, 60_000);
  const before = loopProcesses(one).map((found) => found.pid);
  run.signal('SIGINT');
  await until('no process of the loop', () => loopProcesses(one).length === 0, GONE_MS_MAX);
  expect((await run.ended).code).toBe(130);
  return { one, before };
}

describe('A4 stopped during a long tool call', () => {
  for (const { name } of CHOSEN) {
    itWith(name)(`A4 ${name}: nothing of it is left, and only then the next one starts`, async () => {
      const { one, before } = await stopped(name);
      const again = one.start(RUN);
      await until('the next iteration asks the model', () => begun(one, 't1') === 2, 60_000);
      expect(before.filter(isAlive)).toEqual([]);
      one.model.release('looked');
      expect((await again.ended).code, again.output().stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      expect(begun(one, 't1')).toBe(2);
    });
  }

  for (const { name, driver } of TALKED) {
    itWith(name)(`A4 ${driver}: nothing of it is left`, async () => {
      const { before } = await stopped(name, { driver });
      expect(before.filter(isAlive)).toEqual([]);
    });
  }
});
