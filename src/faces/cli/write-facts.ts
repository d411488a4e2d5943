import type { Event } from '../../core/events.ts';
import type { State } from '../../core/model.ts';
import type { Repository } from '../../world/git/repository.ts';
import { openFileLog } from '../../world/log/file-log.ts';
import { logFolder } from '../../world/state-places.ts';
import { readState } from './project.ts';

/** Writes facts from a command that is no host; asks again if somebody wrote first. Gives the state they were written upon. */
export async function writeFacts(repo: Repository, facts: (state: State) => Promise<readonly Event[]>): Promise<State> {
  const log = await openFileLog<Event>(logFolder(repo));
  for (;;) {
    const state = await readState(repo);
    const events = await facts(state);
    if (events.length === 0 || (await log.append(state.seq, 'cli', Date.now(), events)).ok) return state;
  }
}
