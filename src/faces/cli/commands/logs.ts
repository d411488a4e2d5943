import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking, loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { pause } from '../../../world/os/clock.ts';
import { startedIterations, followFile } from '../../../world/agents/transcript.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Shown, TranscriptLine, Printing } from '../../verbs/print-transcript.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { openPen, prefixed } from '../show/open-pen.ts';
import { readState } from '../../call/project.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { IterationSight } from '../../../world/agents/transcript.ts';
import { openPrinting } from '../../verbs/print-transcript.ts';
import type { Pen } from '../show/open-pen.ts';

const POLL_MS = 300;
/** Line by line, as it came. */
const PRINTED: Answer<TranscriptLine> = { data: null };

type Asked = Omit<Reading, 'loop' | 'isNamed'>;

/** Reads run folders and the log, so it works during a run, after it, and when the worktree is gone. */
export const handle: Handler<TranscriptLine> = async (call) => {
  const repo = findRepository(call.cwd);
  const state = await readState(repo);
  const [id] = call.args;
  const loop = id === undefined ? loopHere(repo, state) : findLoop(state, id);
  const shown: Shown = call.flags['raw'] === true ? 'raw' : call.flags['json'] === true ? 'json' : 'rendered';
  const asked: Asked = {
    repo,
    only: iterationAsked(call),
    shown,
    file: call.flags['stderr'] === true ? STDERR : 'stdout.log',
  };
  return loop === null ? showAll(call, asked) : showOne(call, { ...asked, loop: loop.id, isNamed: false }, loop);
};

/** The newest loop of the linked worktree that somebody stands in; in the main checkout it is all of them that count. */
function loopHere({ linked, worktree }: Repository, state: State): Loop | null {
  const here = (loop: Loop): boolean => loop.worktree === worktree && loop.worktreeState !== 'retired';
  return linked ? (loopsOf(state).findLast(here) ?? null) : null;
}

async function showOne(call: Call, reading: Reading, { iteration }: Loop): Promise<Answer<TranscriptLine>> {
  const { repo, loop, only } = reading;
  if (only !== null) requireIteration(reading, only);
  const pen = openPen();
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
  return PRINTED;
}

/** Every loop, in the order they began; followed, until no host works any more. */
async function showAll(call: Call, asked: Asked): Promise<Answer<TranscriptLine>> {
  const pen = openPen();
  const open = new Map<string, { readonly whatIsThere: () => Promise<void>; readonly end: () => Promise<void> }>();
  for (;;) {
    const state = await readState(asked.repo);
    const isOver =
      call.flags['follow'] !== true || (Object.keys(state.hosts).length === 0 && !loopsOf(state).some(isWorking));
    for (const { id } of loopsOf(state)) {
      const show = open.get(id) ?? openNamed({ ...asked, loop: id, isNamed: true }, pen);
      open.set(id, show);
      await show.whatIsThere();
      // What it holds back is told before another one begins.
      if (isOver) await show.end();
    }
    if (isOver || pen.isClosed()) break;
    await pause(POLL_MS);
  }
  if (open.size === 0) call.out.say('no loop has started yet');
  return PRINTED;
}

function openNamed(reading: Reading, pen: ReturnType<typeof openPen>): ReturnType<typeof openShowing> {
  const named = prefixed(pen, reading.shown === 'json' ? '' : `${reading.loop} | `);
  const show = openShowing(reading, named);
  return {
    whatIsThere: () => show.whatIsThere(),
    end: async () => {
      await show.end();
      await named.end();
    },
  };
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

const STDERR = 'stderr.log';

/** Which part of a loop's transcript is read, and how it is shown. */
interface Reading {
  readonly repo: Repository;
  readonly loop: LoopId;
  readonly only: number | null;
  readonly shown: Shown;
  readonly file: string;
  /** It is one of several: each line says whose it is. */
  readonly isNamed: boolean;
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

function openIteration({ shown, file, loop, isNamed }: Reading, sight: IterationSight): Open {
  const protocol = file === 'stdout.log' ? sight.agent.protocol : 'text';
  return {
    sight,
    from: followFile(join(sight.folder, file)),
    printing: openPrinting(shown, protocol, isNamed ? { loop, iteration: sight.n } : { iteration: sight.n }),
    isSilent: true,
  };
}

const heading = ({ loop }: Reading, { n, agent }: IterationSight): string =>
  `=== ${loop} iteration ${n} (${cleanLine(agent.name)}) ===\n`;
