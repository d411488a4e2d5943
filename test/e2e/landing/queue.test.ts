import { describe, expect, it } from 'vitest';

import { everything, differences } from '../harness/fingerprint.ts';
import { landedTasks } from '../harness/git.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';
import { until } from '../harness/until.ts';
import { why } from '../harness/why.ts';

/** Two of them begin alike. */
const TASKS = ['alpha', 'same-1', 'same-2'];

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

/** A landing whose gates are held, so that its train stands. */
async function standing(): Promise<[Scratch, WatchedGate, Running]> {
  const [one, gate] = await prepared();
  gate.hold();
  const before = gate.runs();
  const landing = startRalph(one, ['land', '--all']);
  await gate.begun(before + 1);
  return [one, gate, landing];
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

  it('shows the train, what is tested where, and what waits; --watch shows each change, and ends with the last host', async () => {
    const [one, gate, landing] = await standing();
    const watching = startRalph(one, ['queue', '--watch']);
    await watching.waitFor(/testing/);
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
    expect((await why(one, 'alpha')).state).toBe('landing');
    gate.letGo();
    expect((await landing.ended).code).toBe(0);
    expect(await queue(one)).toMatchObject({ train: null, waiting: [] });
    alwaysGreen(one, gate.truth);
    const watched = await watching.ended;
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringMatching(/nothing waits/)]);
  });

  it('pause holds everything back; what is bumped lands first, what is ejected is kept until a person lands it', async () => {
    const [one, gate] = await prepared();
    const paused = await say(one, 'pause');
    expect(paused.code, paused.stderr).toBe(0);
    const landing = await ralph(one, ['land', '--all']);
    expect(landing.stderr).toMatch(/paus/i);
    expect(landedTasks(one.git, INT)).toEqual([]);
    expect((await why(one, 'alpha')).sentences.join('\n')).toMatch(/paus/i);
    const { paused: isPaused, waiting } = await queue(one);
    expect([isPaused, waiting.map(({ task }) => task).sort()]).toEqual([true, TASKS]);

    const [first = '', second = '', last = ''] = waiting.map(({ task }) => task);
    const bumped = await say(one, 'bump', last);
    expect(bumped.code, bumped.stderr).toBe(0);
    expect((await queue(one)).waiting[0]?.task).toBe(last);
    const ejected = await say(one, 'eject', second);
    expect(ejected.code, ejected.stderr).toBe(0);
    const told = await why(one, second);
    expect(told).toMatchObject({
      state: 'parked',
      reason: 'ejected',
      next: expect.stringMatching(`^ralph land ${second}-`),
    });

    expect((await say(one, 'resume')).code).toBe(0);
    expect((await queue(one)).paused).toBe(false);
    await ralph(one, ['land', '--all']);
    expect(landedTasks(one.git, 'main')).toEqual([last, first]);
    expect(accountFor(one, TASKS).kept).toEqual([second]);
    const { code, stderr } = await ralph(one, ['land', second]);
    expect(code, stderr).toBe(0);
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
    const { stderr } = await run.ended;
    expect(stderr).toMatch(/paused/);
    expect((await queue(one)).waiting).toHaveLength(3);
    expect(landedTasks(one.git, INT)).toEqual([]);
    const resumed = await say(one, 'resume');
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('ralph land --all')]);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('pause in the middle of a train: it stops, and main stays where it was; what has landed is nobody’s to bump or eject', async () => {
    const [one, gate, landing] = await standing();
    const main = one.git('rev-parse', 'main');
    expect((await say(one, 'pause')).code).toBe(0);
    gate.letGo();
    expect((await landing.ended).stderr).toMatch(/paused/);
    expect(landedTasks(one.git, INT)).toEqual([]);
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect((await say(one, 'resume')).code).toBe(0);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    for (const verb of ['bump', 'eject']) {
      const late = await say(one, verb, 'same-1');
      expect([late.code, late.stderr]).toEqual([2, expect.stringMatching(/landed/)]);
    }
  });

  it('bump and eject in the middle of a train: it is built anew with the one first and without the other', async () => {
    const [one, gate, landing] = await standing();
    expect((await say(one, 'bump', 'same-2')).code).toBe(0);
    expect((await say(one, 'eject', 'same-1')).code).toBe(0);
    gate.letGo();
    await landing.ended;
    expect(landedTasks(one.git, 'main')).toEqual(['same-2', 'alpha']);
    expect(accountFor(one, TASKS)).toEqual({ landed: ['alpha', 'same-2'], kept: ['same-1'] });
    alwaysGreen(one, gate.truth);
  });

  it("of nobody, of two at once, of nothing, a word that is none, and an agent's: exit 2, and nothing changes", async () => {
    const [one] = await prepared();
    const before = await queue(one);
    for (const [words, code, loop] of [
      [['bump', 'nobody'], 'E_UNKNOWN_ID'],
      [['bump', 'same'], 'E_AMBIGUOUS_ID'],
      [['bump'], ''],
      [['eject', 'nobody'], 'E_UNKNOWN_ID'],
      [['eject', 'same'], 'E_AMBIGUOUS_ID'],
      [['eject', ''], ''],
      [['dance'], ''],
      [['pause'], 'E_NESTED', 'alpha-abcd'],
      [['eject', 'alpha'], 'E_NESTED', 'alpha-abcd'],
    ] as const) {
      const answer = await ralph(one, ['queue', ...words], { env: { RALPH_LOOP_ID: loop } });
      expect([words, answer.code, answer.stderr]).toEqual([words, 2, expect.stringContaining(code)]);
    }
    expect(await queue(one)).toEqual(before);
  });
});
