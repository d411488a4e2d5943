import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../core/model/errors.ts';
import type { Bead } from '../../../text/trackers/beads-answer.ts';
import { readAnswer } from '../../../text/trackers/beads-answer.ts';
import { cleanLine } from '../../../text/trackers/clean.ts';
import { findExecutable } from '../../processes/environment.ts';
import { runProgram } from '../../processes/run-program.ts';

const ANSWER_MS_MAX = 30_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
const TRIES_MAX = 4;
const RETRY_MS = 250;
/** What others do to the store this moment passes. */
const PASSING = /\block|\bbusy\b|serializ|deadlock|try again|temporarily|conflict(?:ing)? write/i;
const REASON_CHARS_MAX = 300;

export interface BdPlace {
  readonly env: NodeJS.ProcessEnv;
  /** The checkout whose `.beads` is meant. */
  readonly root: string;
}

/** What one call of `bd` came to. */
export interface BdResult {
  /** It ended with 0. Old versions do so also when they refused. */
  readonly ok: boolean;
  readonly beads: readonly Bead[];
  /** It answered in JSON, if only with `[]` or `null`. */
  readonly isJson: boolean;
  /** What it said was wrong; null: nothing. */
  readonly error: string | null;
  readonly stdout: string;
}

interface Ended {
  readonly code: number | null;
  /** Why it did not end by itself. */
  readonly stopped: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const BD_MISSING_REMEDY = 'npm install -g @beads/bd';

/** Runs `bd` once, and again where what failed passes. That it refuses is an answer; that it cannot answer is an error. */
export async function runBd(place: BdPlace, args: readonly string[], input = ''): Promise<BdResult> {
  const program = findExecutable('bd', place.env, place.root);
  if (program === null)
    throw new AppError('E_BEADS', 'bd, the program of Beads, is not on the PATH', {
      facts: ['tasks in files need no bd: --tracker file'],
      remedy: BD_MISSING_REMEDY,
    });
  for (let tries = 1; ; tries += 1) {
    const ended = await start(program, place, args, input);
    const result = resultOf(ended);
    const isPassing = ended.stopped !== null || (!result.ok && PASSING.test(`${ended.stderr}${ended.stdout}`));
    if (!isPassing) return result;
    // What hung once may hang again: it is given one more chance, and not two minutes of everybody's time.
    if (tries === TRIES_MAX || (ended.stopped !== null && tries > 1))
      throw failure(args, ended.stopped ?? result.error ?? 'it failed');
    await pause(RETRY_MS * tries);
  }
}

/** The same, for a call that must not be refused. */
export async function mustBd(place: BdPlace, args: readonly string[], input = ''): Promise<BdResult> {
  const result = await runBd(place, args, input);
  if (!result.ok || !result.isJson) throw failure(args, result.error ?? 'it did not say what became of it');
  return result;
}

export function failure(args: readonly string[], why: string): AppError {
  const words = args.slice(0, args[0] === 'epic' ? 2 : 1).join(' ');
  return new AppError('E_BEADS', `bd ${words}: ${why}`, { remedy: 'bd where' });
}

function resultOf({ code, stdout, stderr }: Ended): BdResult {
  const [said, told] = [readAnswer(stdout), readAnswer(stderr)];
  const error = said.error ?? told.error ?? (code === 0 && said.isJson ? null : firstWords(stderr));
  return { ok: code === 0, beads: said.beads, isJson: said.isJson && said.error === null, error, stdout };
}

/** Warnings and hints are about something else. */
function firstWords(text: string): string | null {
  const lines = text.split('\n').map(cleanLine);
  const [line] = lines.filter((one) => one !== '' && !/^(?:warning|hint|note)\b|^⚠/i.test(one));
  return line === undefined ? null : line.replace(/^Error:? /, '').slice(0, REASON_CHARS_MAX);
}

async function start(program: string, { env, root }: BdPlace, args: readonly string[], input: string): Promise<Ended> {
  const { code, signal, stopped, error, ...said } = await runProgram([program, ...args], {
    cwd: root,
    env: bdEnvironment(env),
    input,
    timeoutMs: ANSWER_MS_MAX,
    charsMax: OUTPUT_BYTES_MAX,
    // Ctrl-C in the terminal must not end a write half-way.
    isApart: true,
  });
  if (error !== null)
    throw new AppError('E_BEADS', `bd cannot be started: ${error.message}`, {
      remedy: BD_MISSING_REMEDY,
      cause: error,
    });
  const ended = signal === null ? null : `it was ended by ${signal}`;
  return { code, stopped: stopped === null ? ended : WHY_STOPPED[stopped], ...said };
}

const WHY_STOPPED = {
  time: `it did not answer within ${ANSWER_MS_MAX / 1000} s`,
  output: 'it printed far too much',
} as const;

/** Nothing of a hook that started us leads it to another repository, and no helper of its own stays behind. */
function bdEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_AUTHOR_'));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ['BEADS_NO_DAEMON']: '1' };
}
