import { describe, expect, it } from 'vitest';
import { loopNext } from '../../src/core/views/loop-next.ts';
import { LOOP_STATUSES, statusOf } from '../../src/core/views/loops-view.ts';
import type { Loop, ParkReason } from '../../src/core/model/model.ts';
import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { task, tellTale } from '../sim/tale.ts';

/** The compiler refuses a list that lacks one. */
const REASONS: Readonly<Record<ParkReason, true>> = {
  iterations: true,
  runtime: true,
  'no-progress': true,
  failures: true,
  conflict: true,
  red: true,
  'base-parked': true,
  broken: true,
  reset: true,
  budget: true,
  blocked: true,
  protected: true,
  'too-large': true,
  ejected: true,
  tampered: true,
  duplicate: true,
  discarded: true,
  replaced: true,
  stopped: true,
};

const isOurs = (command: string): boolean =>
  COMMANDS.some(
    ({ name }) => `${command} `.startsWith(`ralph ${name} `) && name.split(' ').length >= namedWords(command),
  );

/** `loops`, `queue` and `keep` are followed by a word that says what to do. */
const namedWords = (command: string): number => (/^ralph (?:loops|queue|keep|agents) [a-z]/.test(command) ? 2 : 1);

describe('the next command of a loop', () => {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'));
  const loop = tale.loop(tale.ready('a'));

  it.each(Object.keys(REASONS) as ParkReason[])('is one of ours when it is parked: %s', (reason) => {
    const parked: Loop = { ...loop, phase: { at: 'parked', reason, detail: '', paths: [] } };
    const command = loopNext(tale.state(), parked, statusOf(tale.state(), parked));
    expect(isOurs(command), command).toBe(true);
  });

  it.each(LOOP_STATUSES)('is one of ours, or of the system: %s', (status) => {
    for (const state of [tale.state(), { ...tale.state(), queuePaused: true }, { ...tale.state(), hosts: {} }]) {
      const command = loopNext(state, loop, status);
      expect(/^(?:git|kill) /.test(command) || isOurs(command), command).toBe(true);
    }
  });
});
