import type { Event } from '../../core/model/events.ts';
import type { State } from '../../core/model/model.ts';
import { fold } from '../../core/fold/fold.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { openFileLog } from '../../world/log/file-log.ts';
import { logFolder } from '../../world/git/run/state-places.ts';
import { readState } from './project.ts';
import { tellLoopLogs } from './tell-loop-logs.ts';

/** Writes facts from a command that is no host; asks again if somebody wrote first. Gives the state they were written upon. */
export async function writeFacts(repo: Repository, facts: (state: State) => Promise<readonly Event[]>): Promise<State> {
  const log = await openFileLog<Event>(logFolder(repo));
  for (;;) {
    const state = await readState(repo);
    const events = await facts(state);
    if (events.length === 0) return state;
    const record = { seq: state.seq + 1, at: Date.now(), by: 'cli', events };
    if (!(await log.append(state.seq, record.by, record.at, events)).ok) continue;
    tellLoopLogs(repo, null, record, state, fold(state, record));
    return state;
  }
}
