import { unreachable } from '../model/assert.ts';
import type { Waiting } from '../plan/schedule.ts';

/** Why a task does not start, in words. */
export function describeWaiting(waiting: Waiting): string {
  switch (waiting.why) {
    case 'done':
      return 'done in the task file';
    case 'done-upstream':
      return `done on ${waiting.on}`;
    case 'landed':
      return 'landed';
    case 'blocked':
      return `blocked: ${waiting.reason}`;
    case 'held':
      return `loop ${waiting.loop} works on it`;
    case 'waiting':
      return `waits for ${waiting.on.length === 0 ? 'an earlier task' : waiting.on.join(', ')} to land`;
    case 'ready':
      return `loop ${waiting.loop} is ready to land`;
    case 'parked':
      return `loop ${waiting.loop} was parked; ralph tasks reset frees the task`;
    case 'dependency':
      return `waits for ${waiting.on.join(', ')}`;
    case 'group':
      return waiting.group === ''
        ? `waits behind ${waiting.behind} (one after the other without a group)`
        : `waits behind ${waiting.behind} in group ${waiting.group}`;
    case 'account':
      return `waits for ${waiting.account}: ${waiting.hold.detail}`;
    case 'budget':
      return `the run's budget is spent: ${waiting.spent}`;
    case 'limit':
      return `a limit of the project is reached: ${waiting.spent}; raise it: ${waiting.next}`;
    case 'time':
      return 'the run has reached its time limit';
    case 'disk':
      return `waits for disk space: ${waiting.freeMb} MB free, ${waiting.floorMb} MB required`;
    case 'integration':
      return 'waits until integration is at the last landing of the log';
    case 'base':
      return `waits until main itself passes its gates: ${waiting.gate} fails there`;
    case 'not-chosen':
      return 'not among the tasks of this run';
    case 'slots':
      return 'waits for a free slot';
    case 'paused':
      return 'the run is paused; to continue: ralph unpause';
    case 'review':
      return `nothing new starts: ${waiting.waiting} wait for a review${waiting.atWork === 0 ? '' : ` and ${waiting.atWork} at work will`}, of at most ${waiting.max} (landing.max_waiting); read them: ralph review`;
    case 'workers':
      return `waits for a free slot: ${waiting.atWork} of at most ${waiting.max} loops are at work, in all runs together (parallel.max_workers)`;
    default:
      return unreachable(waiting);
  }
}
