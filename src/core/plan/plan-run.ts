import { asLastJoined } from '../loops/base.ts';
import type { HostPolicy, State } from '../model/model.ts';
import type { Event } from '../model/events.ts';
import { hostId } from '../model/ids.ts';
import type { Plan } from './schedule.ts';
import { schedule } from './schedule.ts';
import { fold } from '../fold/fold.ts';

/** What a host with this policy would start, without there being one: the same function the real host asks. */
export function planRun(state: State, asked: HostPolicy): Plan {
  const policy = asLastJoined(state, asked);
  const host = hostId('h-plan');
  const joined: Event = { type: 'host-joined', host, mark: { pid: 0, startTime: '', bootId: '' }, policy };
  return schedule(fold(state, { seq: state.seq, at: 0, by: host, events: [joined] }), host);
}
