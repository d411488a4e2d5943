import { join } from 'node:path';
import { AppError, EXIT } from '../../../core/errors.ts';
import type { LoopId } from '../../../core/ids.ts';
import type { State } from '../../../core/model.ts';
import { isWorking } from '../../../core/model.ts';
import { shellWord } from '../../../core/remedy.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Repository } from '../../../world/git/repository.ts';
import { pause } from '../../../world/processes/pause.ts';
import { followFile, startedIterations } from '../../../world/transcript.ts';
import type { IterationSight } from '../../../world/transcript.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import { openPrinting } from '../../verbs/print-transcript.ts';
import type { Printing, Shown } from '../../verbs/print-transcript.ts';
import type { Call, Handler } from '../handler.ts';
import { readState } from '../project.ts';

const POLL_MS = 300;
const STDERR = 'stderr.log';

/** Reads run folders and the log, so it works during a run, after it, and when the worktree is gone. */
export const handle: Handler = async (call) => {
  const repo = findRepository(call.cwd);
  const { id: loop, iteration } = findLoop(await readState(repo), call.args[0] ?? '');
  const only = iterationAsked(call);
  const pen = openPen();
  const shown: Shown = call.flags['raw'] === true ? 'raw' : call.flags['json'] === true ? 'json' : 'rendered';
  const reading = { repo, loop, only, shown, file: call.flags['stderr'] === true ? STDERR : 'stdout.log' };
  if (only !== null) requireIteration(reading, only);
  const show = openShowing(reading, pen);
  for (;;) {
    // Asked before the files are read: what is written until the loop ends is read in any case.
    const isOver = call.flags['follow'] !== true || hasEnded(await readState(repo), reading);
    await show.whatIsThere();
    if (isOver || pen.isClosed()) break;
    await pause(POLL_MS);
  }
  await show.end();
  if (startedIterations(repo, loop).length === 0)
    call.out.say(
      iteration > 1 || hasEnded(await readState(repo), reading)
        ? `nothing is left of what the agents of loop ${loop} printed`
        : `loop ${loop} has not started an agent yet`,
    );
  return EXIT.ok;
};

interface Reading {
  readonly repo: Repository;
  readonly loop: LoopId;
  readonly only: number | null;
  readonly shown: Shown;
  readonly file: string;
}

function iterationAsked(call: Call): number | null {
  const text = call.flags['iteration'];
  if (call.flags['raw'] === true && call.flags['json'] === true)
    throw new AppError('E_USAGE', '--raw and --json exclude each other', { remedy: 'ralph logs --help' });
  if (typeof text !== 'string') return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError('E_USAGE', `--iteration ${text}: not a number from 1 up`, { remedy: 'ralph logs --help' });
}

function requireIteration({ repo, loop }: Reading, only: number): void {
  const known = startedIterations(repo, loop).map(({ n }) => n);
  if (known.includes(only)) return;
  throw new AppError('E_UNKNOWN_ID', `loop ${loop} has no iteration ${only}`, {
    facts: [known.length === 0 ? 'it has not started an agent yet' : `there are: ${known.join(', ')}`],
    remedy: `ralph logs ${shellWord(loop)}`,
  });
}

function hasEnded(state: State, { loop, only }: Reading): boolean {
  const now = state.loops[loop];
  if (now === undefined || !isWorking(now)) return true;
  return only !== null && !(now.phase.at === 'iterating' && now.phase.n === only);
}

interface Open {
  readonly sight: IterationSight;
  readonly from: ReturnType<typeof followFile>;
  readonly printing: Printing;
  /** It has printed nothing yet. */
  isSilent: boolean;
}

/** One iteration after the other; the next one begins only when the one before it has ended. */
function openShowing(reading: Reading, pen: Pen): { whatIsThere(): Promise<void>; end(): Promise<void> } {
  let open: Open | null = null;

  async function drain(one: Open): Promise<void> {
    for (let bytes = one.from.next(); bytes !== null && !pen.isClosed(); bytes = one.from.next()) {
      one.isSilent = false;
      await pen.write(one.printing.push(bytes));
    }
  }

  async function close(): Promise<void> {
    if (open === null) return;
    await pen.write(open.printing.end());
    // Who printed nothing may have said why elsewhere.
    if (!open.isSilent || reading.shown !== 'rendered' || reading.file === STDERR) return;
    open = openIteration({ ...reading, file: STDERR }, open.sight);
    await drain(open);
    await pen.write(open.printing.end());
  }

  return {
    async whatIsThere() {
      const started = startedIterations(reading.repo, reading.loop);
      for (const sight of started.filter(({ n }) => reading.only === null || n === reading.only)) {
        if (open !== null && sight.n < open.sight.n) continue;
        if (sight.n !== open?.sight.n) {
          await close();
          open = openIteration(reading, sight);
          if (reading.shown === 'rendered') await pen.write(heading(reading, sight));
        }
        await drain(open);
      }
    },
    end: close,
  };
}

function openIteration({ shown, file }: Reading, sight: IterationSight): Open {
  const protocol = file === 'stdout.log' ? sight.agent.protocol : 'text';
  return {
    sight,
    from: followFile(join(sight.folder, file)),
    printing: openPrinting(shown, protocol, sight.n),
    isSilent: true,
  };
}

const heading = ({ loop }: Reading, { n, agent }: IterationSight): string =>
  `=== ${loop} iteration ${n} (${cleanLine(agent.name)}) ===\n`;

interface Pen {
  /** Resolves when it was taken over: no more is read than the reader of our output can take. */
  write(text: string | Buffer): Promise<void>;
  isClosed(): boolean;
}

/** Standard output; that its reader went away (`| head`) is no error. */
function openPen(): Pen {
  let closed = false;
  process.stdout.on('error', () => {
    closed = true;
  });
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (closed || text.length === 0) return resolve();
        process.stdout.write(text, () => resolve());
      }),
    isClosed: () => closed,
  };
}
