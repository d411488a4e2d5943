import type { HostPolicy, State } from '../../core/model.ts';
import type { Event } from '../../core/events.ts';
import { hostId } from '../../core/ids.ts';
import type { Plan } from '../../core/schedule.ts';
import { schedule } from '../../core/schedule.ts';
import { fold } from '../../core/step.ts';

/** What a host with this policy would start, without there being one: the same function the real host asks. */
export function planRun(state: State, policy: HostPolicy): Plan {
  const host = hostId('h-plan');
  const joined: Event = { type: 'host-joined', host, mark: { pid: 0, startTime: '', bootId: '' }, policy };
  return schedule(fold(state, { seq: state.seq, at: 0, by: host, events: [joined] }), host);
}
