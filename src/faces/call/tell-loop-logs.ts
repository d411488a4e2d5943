import type { HostId } from '../../core/model/ids.ts';
import { entriesOf } from '../../core/views/loop-history.ts';
import type { Host, Loop, ProcessMark, State } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { openLoopLog } from '../../world/worktrees/loop-log.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { workerLog } from '../../world/git/run/state-places.ts';
import { historyLine } from './history-line.ts';
import type { Style } from './output.ts';

const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String };

/**
 * Writes what a record says of loops into their workers' logs, in the words of the live lines. Every host reads every record:
 * whoever wrote it tells of it, and of what a person wrote the host that holds the loop. `own` null: this is a person's command.
 */
export function tellLoopLogs(
  repo: Repository,
  own: ProcessMark | null,
  facts: Facts,
  before: State,
  after: State,
): void {
  for (const loop of loopsOf(after)) {
    // Most have landed long ago.
    if (before.loops[loop.id] === loop && loop.phase.at === 'landed') continue;
    const teller = tellerOf(facts, before, after, before.loops[loop.id] ?? loop);
    if (!isSameMark(teller?.mark ?? null, own)) continue;
    const lines = entriesOf(facts, before, after, loop.id).map((entry) => historyLine(entry, loop.id, PLAIN));
    if (lines.length === 0) continue;
    const log = openLoopLog(workerLog(repo, loop.slot, taskIdOf(after, loop.task)), () => facts.at);
    for (const line of lines) log.note(line);
  }
}

function tellerOf({ by }: Facts, before: State, after: State, loop: Loop): Host | null {
  const writer = by as HostId;
  return before.hosts[writer] ?? after.hosts[writer] ?? (loop.host === null ? null : (before.hosts[loop.host] ?? null));
}

const isSameMark = (one: ProcessMark | null, other: ProcessMark | null): boolean =>
  one?.pid === other?.pid && one?.startTime === other?.startTime && one?.bootId === other?.bootId;
