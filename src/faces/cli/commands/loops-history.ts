import { isoMs } from '../../../core/model/describe-time.ts';
import type { Event } from '../../../core/model/events.ts';
import { loopHistory } from '../../../core/views/loop-history.ts';
import { EMPTY_STATE } from '../../../core/model/model.ts';
import { fold } from '../../../core/fold/fold.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { readLogOnly } from '../../../world/log/file-log.ts';
import { logFolder } from '../../../world/git/run/state-places.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Handler } from '../../call/handler.ts';
import { historyLine } from '../../call/history-line.ts';
import type { Style } from '../../call/output.ts';
import { localTime } from '../../../world/os/clock.ts';

const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String };

interface LoopEvent {
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  readonly line: string;
  readonly type: string;
  /** What the event says besides: see docs/reference/events.md. */
  readonly [more: string]: unknown;
}

interface LoopEvents {
  readonly loop: string;
  readonly task: string;
  readonly branch: string;
  readonly events: readonly LoopEvent[];
}

/** The log is read once, from its beginning: whose history it is to be is only known at its end. */
export const handle: Handler<LoopEvents> = async ({ args, cwd, out }) => {
  const records = await readLogOnly<Event>(logFolder(findRepository(cwd))).read(0);
  const state = records.reduce(fold, EMPTY_STATE);
  const loop = findLoop(state, args[0] ?? '');
  const entries = loopHistory(records, loop.id);
  const events = entries.map((entry) => ({
    seq: entry.seq,
    at: isoMs(entry.at),
    by: entry.by,
    line: historyLine(entry, loop.id, PLAIN),
    ...entry.what,
  }));
  // Whether there is colour goes by standard error; this may go into a file.
  const style = process.stdout.isTTY ? out.style : PLAIN;
  return {
    data: { loop: loop.id, task: taskIdOf(state, loop.task), branch: loop.branch, events },
    text: entries.map((entry) => `${localTime(entry.at)}  ${historyLine(entry, loop.id, style)}`).join('\n'),
  };
};
