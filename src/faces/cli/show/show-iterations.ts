import { join } from 'node:path';
import type { LoopId } from '../../../core/model/ids.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { followFile, startedIterations } from '../../../world/agents/transcript.ts';
import type { IterationSight } from '../../../world/agents/transcript.ts';
import { openPrinting } from '../../verbs/print-transcript.ts';
import type { Printing, Shown } from '../../verbs/print-transcript.ts';
import type { Pen } from './open-pen.ts';

export const STDERR = 'stderr.log';

/** Which part of a loop's transcript is read, and how it is shown. */
export interface Reading {
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
export function openShowing(reading: Reading, pen: Pen): { whatIsThere(): Promise<void>; end(): Promise<void> } {
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
