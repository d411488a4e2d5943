import { describe, expect, it } from 'vitest';
import { actsOf } from '../../src/core/views/acts.ts';
import { standing } from '../../src/core/views/standing.ts';
import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { standingCases } from '../sim/standing-cases.ts';

const isOurs = (command: string): boolean =>
  COMMANDS.some(
    ({ name }) => `${command} `.startsWith(`ralph ${name} `) && name.split(' ').length >= namedWords(command),
  );

/** `loops`, `queue` and `keep` are followed by a word that says what to do. */
const namedWords = (command: string): number => (/^ralph (?:loops|queue|keep|agents) [a-z]/.test(command) ? 2 : 1);

describe('the commands for a loop', () => {
  it.each(standingCases())('are ours, or of the system: $name', ({ state, loop }) => {
    for (const now of [state, { ...state, queuePaused: true }, { ...state, hosts: {} }]) {
      const { next } = standing(now, loop);
      expect(/^(?:git|kill) /.test(next) || isOurs(next), next).toBe(true);
      for (const { command, refusal } of actsOf(now, loop)) {
        expect(isOurs(command), command).toBe(true);
        const remedy = refusal?.remedy ?? next;
        expect(/^(?:git|kill) /.test(remedy) || isOurs(remedy), remedy).toBe(true);
      }
    }
  });
});
