import { describe, expect, it } from 'vitest';

import { everything, differences } from './harness/fingerprint.ts';
import { landedTasks } from './harness/git.ts';
import { ralph, startRalph } from './harness/ralph.ts';
import { savedScene } from './harness/saved.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, trainProject, userCommits, watchedGate } from './harness/train.ts';
import type { WatchedGate } from './harness/train.ts';
import { accountFor, alwaysGreen, INT } from './harness/values.ts';
import { until } from './harness/until.ts';
import { why } from './harness/why.ts';

const TASKS = ['alpha', 'beta', 'gamma'];

interface Queue {
  readonly paused: boolean;
  readonly train: {
    readonly base: string;
    readonly cars: readonly { readonly task: string | null; readonly commit: string; readonly state: string }[];
    readonly runs: readonly { readonly slot: number; readonly up_to: number; readonly since_ms: number }[];
  } | null;
  readonly waiting: readonly { readonly task: string; readonly why: string; readonly position: number }[];
  readonly expected_ms: number | null;
}

async function queue(one: Scratch): Promise<Queue> {
  const { code, stdout, stderr } = await ralph(one, ['queue', '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Queue;
}

const gateOf = (one: Scratch): WatchedGate => watchedGate(one, 'test ! -e BROKEN');

const ready = savedScene(async (one) => {
  await readyTrain(one, {
    tasks: TASKS,
    gate: gateOf(one),
    script: `${OWN_FILE}; ${CLAIM}`,
    config: { landing: { gate_slots: 1 } },
  });
  userCommits(one, { 'mine.txt': 'mine' });
});

async function prepared(): Promise<[Scratch, WatchedGate]> {
  const one = await ready();
  return [one, gateOf(one)];
}

/** All in the queue, which is paused, and no host about. */
async function queued(): Promise<[Scratch, WatchedGate]> {
  const [one, gate] = await prepared();
  expect((await say(one, 'pause')).code).toBe(0);
  await ralph(one, ['land', '--all']);
  expect((await queue(one)).waiting.map(({ task }) => task).sort()).toEqual(TASKS);
  return [one, gate];
}

const say = (one: Scratch, ...words: string[]) => ralph(one, ['queue', ...words]);

describe('S1.5 ralph queue', () => {
  it('before anything ran: an empty queue, and no trace', async () => {
    const one = scratch();
    trainProject(one, { tasks: TASKS, gate: watchedGate(one, 'true'), script: CLAIM });
    const before = everything(one.repo);
    expect(await queue(one)).toMatchObject({ paused: false, train: null, waiting: [] });
    const { code, stdout } = await say(one);
    expect(code).toBe(0);
    expect(stdout).toMatch(/empty|nothing/i);
    expect(differences(before, everything(one.repo))).toEqual([]);
  });

  it('shows the train, what is tested where, and what waits', async () => {
    const [one, gate] = await prepared();
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all']);
    await gate.begun(before + 1);
    const shown = await until('the run in the queue', async () => {
      const now = await queue(one);
      return (now.train?.runs.length ?? 0) > 0 && now;
    });
    expect(shown.paused).toBe(false);
    const riding = shown.train?.cars.map(({ task }) => task) ?? [];
    const waiting = shown.waiting.map(({ task }) => task);
    expect([...riding, ...waiting].filter((task) => task !== null).sort()).toEqual(TASKS);
    expect(shown.train?.runs).toMatchObject([{ slot: 1, up_to: expect.any(Number), since_ms: expect.any(Number) }]);
    const { stdout } = await say(one);
    for (const task of TASKS) expect(stdout).toContain(task);
    for (const task of TASKS) expect((await why(one, task)).status).toMatch(/landing|queued/);
    gate.letGo();
    expect((await landing.ended).code).toBe(0);
    expect(await queue(one)).toMatchObject({ train: null, waiting: [] });
    alwaysGreen(one, gate.truth);
  });

  it('pause holds everything back, also while a host runs; resume lets it go', async () => {
    const [one, gate] = await prepared();
    const paused = await say(one, 'pause');
    expect(paused.code, paused.stderr).toBe(0);
    expect((await queue(one)).paused).toBe(true);
    const landing = await ralph(one, ['land', '--all']);
    expect(landing.stderr).toMatch(/paus/i);
    expect(landedTasks(one.git, INT)).toEqual([]);
    for (const task of TASKS) expect((await why(one, task)).sentences.join('\n')).toMatch(/paus/i);
    expect((await say(one, 'resume')).code).toBe(0);
    expect((await queue(one)).paused).toBe(false);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('pause in the middle of a run: agents go on, nothing lands, and it says so; resume, and it does', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e BROKEN');
    trainProject(one, { tasks: TASKS, gate, script: `${OWN_FILE}; ${CLAIM}` });
    gate.hold();
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    await gate.begun(1);
    expect((await say(one, 'pause')).code).toBe(0);
    gate.letGo();
    await until('all waiting', async () => (await queue(one)).waiting.length === 3);
    const { stderr } = await run.ended;
    expect(stderr).toMatch(/paused/);
    expect(landedTasks(one.git, INT)).toEqual([]);
    const resumed = await say(one, 'resume');
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('ralph land --all')]);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('pause in the middle of a train: it stops, and main stays where it was', async () => {
    const [one, gate] = await prepared();
    const main = one.git('rev-parse', 'main');
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all']);
    await gate.begun(before + 1);
    expect((await say(one, 'pause')).code).toBe(0);
    gate.letGo();
    expect((await landing.ended).stderr).toMatch(/paused/);
    expect(landedTasks(one.git, INT)).toEqual([]);
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect((await say(one, 'resume')).code).toBe(0);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
  });

  it('bump: what is bumped lands first', async () => {
    const [one] = await queued();
    const last = (await queue(one)).waiting.at(-1)?.task ?? '';
    const bumped = await say(one, 'bump', last);
    expect(bumped.code, bumped.stderr).toBe(0);
    expect((await queue(one)).waiting[0]?.task).toBe(last);
    expect((await say(one, 'resume')).code).toBe(0);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(landedTasks(one.git, 'main')[0]).toBe(last);
  });

  it('bump in the middle of a train: it is built anew with that one first', async () => {
    const [one, gate] = await prepared();
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all']);
    await gate.begun(before + 1);
    expect((await say(one, 'bump', 'gamma')).code).toBe(0);
    gate.letGo();
    expect((await landing.ended).code).toBe(0);
    expect(landedTasks(one.git, 'main')[0]).toBe('gamma');
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('eject: it does not land and is kept, the others do; a person can still land it', async () => {
    const [one, gate] = await queued();
    const ejected = await say(one, 'eject', 'beta');
    expect(ejected.code, ejected.stderr).toBe(0);
    const told = await why(one, 'beta');
    expect(told).toMatchObject({ status: 'parked', reason: 'ejected', next: 'ralph land beta' });
    expect((await say(one, 'resume')).code).toBe(0);
    await ralph(one, ['land', '--all']);
    expect(accountFor(one, TASKS)).toEqual({ landed: ['alpha', 'gamma'], kept: ['beta'] });
    const { code, stderr } = await ralph(one, ['land', 'beta']);
    expect(code, stderr).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('eject in the middle of a train: the rest of it lands', async () => {
    const [one, gate] = await prepared();
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all']);
    await gate.begun(before + 1);
    expect((await say(one, 'eject', 'beta')).code).toBe(0);
    gate.letGo();
    await landing.ended;
    expect(accountFor(one, TASKS)).toEqual({ landed: ['alpha', 'gamma'], kept: ['beta'] });
    alwaysGreen(one, gate.truth);
  });

  it('bump and eject of nobody, of two at once, of nothing: exit 2, and nothing changes', async () => {
    const one = scratch();
    const tasks = ['same-1', 'same-2'];
    const gate = watchedGate(one, 'true');
    await readyTrain(one, { tasks, gate, script: `${OWN_FILE}; ${CLAIM}` });
    for (const verb of ['bump', 'eject']) {
      for (const [id, code] of [
        ['nobody', 'E_UNKNOWN_ID'],
        ['same', 'E_AMBIGUOUS_ID'],
      ] as const) {
        const answer = await say(one, verb, id);
        expect([answer.code, answer.stderr]).toEqual([2, expect.stringContaining(code)]);
      }
      expect((await say(one, verb)).code).toBe(2);
      expect((await say(one, verb, '')).code).toBe(2);
    }
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(tasks);
    for (const verb of ['bump', 'eject']) {
      const late = await say(one, verb, 'same-1');
      expect([late.code, late.stderr]).toEqual([2, expect.stringMatching(/landed/)]);
    }
  });

  it("its words are a person's to say, not an agent's, and a word that is none is refused", async () => {
    const [one] = await prepared();
    for (const words of [['pause'], ['resume'], ['bump', 'alpha'], ['eject', 'alpha']]) {
      const { code, stderr } = await ralph(one, ['queue', ...words], { env: { RALPH_LOOP_ID: 'alpha-abcd' } });
      expect([code, stderr]).toEqual([2, expect.stringContaining('E_NESTED')]);
    }
    expect((await queue(one)).paused).toBe(false);
    expect((await say(one, 'dance')).code).toBe(2);
  });

  it('--watch shows each change, and ends with the last host', async () => {
    const [one, gate] = await prepared();
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all']);
    await gate.begun(before + 1);
    const watching = startRalph(one, ['queue', '--watch']);
    await watching.waitFor(/testing/);
    gate.letGo();
    expect((await landing.ended).code).toBe(0);
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/nothing waits/);
  });
});
