import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Event } from '../../../src/core/model/events.ts';
import { hostId } from '../../../src/core/model/ids.ts';
import { fold } from '../../../src/core/fold/fold.ts';
import { foldLog } from '../../../src/engine/journal.ts';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import { listOf } from '../harness/answers.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { leaveSuspended } from '../harness/leave-suspended.ts';
import { HONEST, project } from '../harness/project.ts';
import type { Running } from '../harness/ralph.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { allLanded, isHere, say, startsOf, TRUTH, wait } from '../harness/recovery.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { alwaysGreen, INT, watchRefs } from '../harness/values.ts';
import { why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '2', '--events'];
const LONG = { timeoutMs: 120_000 };

/** A host that is suspended in the moment before `a` lands; both its slots are taken by agents that work on. */
async function suspended(): Promise<{ readonly one: Scratch; readonly host: Running }> {
  const one = scratch();
  const long = [say(one), wait(one, 'go'), ...HONEST];
  project(one, { tasks: ['a', 'long', 'longer', 'b'], byTask: { long, longer: long } });
  watchRefs(one);
  const host = startRalph(one, RUN, { ...LONG, failpoints: 'land.before_cas=stop' });
  await host.waitFor(/failpoint land\.before_cas stop/);
  await leaveSuspended(host.pid);
  expect(landedTasks(one.git, INT)).toEqual([]);
  return { one, host };
}

/** Writes a fact into the log, as another host would. */
async function tell(one: Scratch, event: Event): Promise<void> {
  const log = await openFileLog<Event>(join(one.repo, '.git/paralph/log'));
  for (;;) {
    const seq = (await foldLog(log, fold)).seq;
    if ((await log.append(seq, 'another', Date.now(), [event])).ok) return;
  }
}

/** It goes on, its agents come to their end, and so does it. */
async function wake(one: Scratch, host: Running): Promise<void> {
  host.signal('SIGCONT');
  await host.waitFor(/"type":"host-woke"/);
  writeFileSync(beside(one, 'go'), '');
  const { code, stderr } = await host.ended;
  expect(code, stderr).toBe(0);
}

/** Another host lands what it was about to land. */
async function overtaken(): Promise<void> {
  const { one, host } = await suspended();
  const alone = listOf((await ralph(one, ['loops', 'list', '--json'])).stdout, 'loops');
  expect(alone.find((row) => row['task'] === 'long')).toMatchObject({
    state: 'stopped',
    reason: 'suspended',
    next: `kill -CONT ${host.pid}`,
  });
  const { code, stdout, stderr } = await ralph(one, RUN, LONG);
  expect(stdout).toContain('"type":"host-stopped"');
  // Two tasks are with a host that may go on.
  expect(code, stderr).toBe(1);
  expect(landedTasks(one.git, INT).sort()).toEqual(['a', 'b']);
  await wake(one, host);
  allLanded(one, ['a', 'b', 'long', 'longer']);
  expect(startsOf(one)).toEqual({ a: 1, b: 1, long: 1, longer: 1 });
}

/** Nobody lands anything meanwhile, so that only the fence is in its way; and a person no longer wants `a`. */
async function fenced(): Promise<void> {
  const { one, host } = await suspended();
  expect((await ralph(one, ['queue', 'pause'])).code).toBe(0);
  expect((await ralph(one, RUN, LONG)).stdout).toContain('"type":"host-stopped"');
  expect(landedTasks(one.git, INT)).toEqual([]);
  for (const act of [
    ['queue', 'eject', 'a'],
    ['queue', 'resume'],
  ])
    expect((await ralph(one, act)).code).toBe(0);
  host.signal('SIGCONT');
  await host.waitFor(/"type":"host-woke"/);
  await until('both work on', () => isHere(one, 'long') && isHere(one, 'longer'));
  writeFileSync(beside(one, 'go'), '');
  expect((await host.ended).code).toBe(1);
  expect(landedTasks(one.git, INT).sort()).toEqual(['b', 'long', 'longer']);
  expect(gitSays(one.git, 'cat-file', '-e', 'main:a.txt')).toBe(false);
  expect((await why(one, 'a')).state).toBe('parked');
  alwaysGreen(one, TRUTH);
}

describe('S1.9 a host', () => {
  it('case 66: that is suspended loses its train, keeps its loops, and when it wakes lands nothing stale and goes on', async () => {
    // Most of the time goes by with waiting.
    await Promise.all([overtaken(), fenced()]);
  });

  it('that was taken for dead says so and ends; the next one lands all of it, once', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], byTask: { a: { iterations: [[say(one), wait(one, 'go'), ...HONEST], HONEST] } } });
    watchRefs(one);
    const host = startRalph(one, RUN);
    await until('its agent works', () => isHere(one, 'a'));
    const id = host.events().find(({ type }) => type === 'host-joined')?.['host'];
    await tell(one, { type: 'host-lost', host: hostId(String(id)) });
    const { stderr } = await host.ended;
    expect(stderr).toContain('took it for dead');
    expect((await ralph(one, RUN)).code).toBe(0);
    allLanded(one, ['a']);
    expect(startsOf(one)).toEqual({ a: 2 });
  });
});
