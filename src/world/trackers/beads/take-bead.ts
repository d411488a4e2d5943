import type { Bead } from '../../../text/trackers/beads-answer.ts';
import {
  beadTasks,
  isClosed,
  isLoopActor,
  isOpenBlocker,
  phaseLabel,
  phasesOf,
} from '../../../text/trackers/beads-tasks.ts';
import { relabelled } from '../../../text/trackers/beads-tasks.ts';
import type { Hold, NotHeld } from '../../contract/tracker.ts';
import { failure } from './bd-program.ts';
import type { BeadsAbilities, BeadsCalls } from './beads-issues.ts';

/** Claims an issue for a loop. `closing`: what it depends on is not closed yet. Null: the loop has it. */
export async function takeBead(
  bd: BeadsCalls,
  hold: Hold,
  can: BeadsAbilities,
  living: ReadonlySet<string>,
): Promise<NotHeld | 'closing' | null> {
  const bead = (await bd.show([hold.task])).get(hold.task);
  if (bead === undefined) return heldBy(bead, hold);
  const isOwn = bead.assignee === hold.actor && bead.status === 'in_progress';
  if (!isOwn) {
    const reason = unclaimable(bead, living);
    if (reason === 'closing') return 'closing';
    if (reason !== null) return { why: reason, isFree: false };
    if (bead.status === 'in_progress' || bead.assignee !== '') await takeUp(bd, bead, can);
  }
  // One that holds it already is refused by old versions, and asks for its label alone.
  const marks = [...relabelled(bead, 'spawned'), ...attempted(bead, hold, can)];
  const asked = [...(isOwn ? [] : ['--claim']), ...marks];
  const args = ['update', hold.task, ...asked, '--actor', hold.actor, '--json'];
  const answer = asked.length === 0 ? null : await bd.run(args);
  // It counts only when what is answered names the actor; old versions may tell two that they won.
  const isTrusted = can.heartbeat && answer !== null;
  const told = isTrusted ? answer.beads[0] : (await bd.show([hold.task])).get(hold.task);
  if (deviation(told, hold) === null) return null;
  const why = deviation((await bd.show([hold.task])).get(hold.task), hold);
  if (why === null) throw failure(args, answer?.error ?? 'it did not say what became of it');
  return why;
}

/** Why a loop does not have an issue, or no more. */
export function deviation(bead: Bead | undefined, { actor }: Pick<Hold, 'actor'>): NotHeld | null {
  if (bead === undefined || bead.assignee !== actor || bead.status !== 'in_progress') return heldBy(bead, { actor });
  // The claim comes with it: a person took it off.
  return phasesOf(bead).length === 0 ? { why: 'its phase label was taken off in Beads', isFree: true } : null;
}

/** Whoever changes its status by hand leaves the name of its loop there. */
function heldBy(bead: Bead | undefined, { actor }: Pick<Hold, 'actor'>): NotHeld {
  if (bead === undefined) return { why: 'it is gone from Beads', isFree: false };
  if (isClosed(bead)) return { why: 'it was closed in Beads', isFree: false };
  if (bead.assignee !== '' && bead.assignee !== actor)
    return { why: `${bead.assignee} has it in Beads`, isFree: false };
  if (bead.status === 'open') return { why: 'it was opened again in Beads', isFree: true };
  return { why: `it is ${bead.status} in Beads`, isFree: false };
}

/** Null: it may be claimed. A claim by id would be given all the same. */
function unclaimable(bead: Bead, living: ReadonlySet<string>): string | null {
  if (bead.status === 'open' && bead.links?.some(isOpenBlocker) === true) return 'closing';
  const [task] = beadTasks([bead], { ready: null, living, nowMs: Date.now() });
  if (task === undefined) return 'it is an epic by now';
  return task.status === 'open' ? null : (task.blockedReason ?? 'it was closed in Beads');
}

/** What an orchestrator left behind is opened, so that a claim can be given. */
async function takeUp(bd: BeadsCalls, { id, status, assignee }: Bead, can: BeadsAbilities): Promise<void> {
  if (status === 'in_progress' && assignee !== '' && can.unclaim) {
    // Only while that one has it, where this bd can say so; the two exclude each other.
    const only = can.unclaimIf ? ['--if-assignee', assignee] : ['--force'];
    await bd.must(['unclaim', id, ...only, '--reason', 'its loop is gone', '--json']);
    return;
  }
  await bd.must(['update', id, '--status', 'open', '--assignee', '', '--json']);
}

/** Takes the phase label off, then gives the issue back to whoever wants it. */
export async function giveBack(bd: BeadsCalls, bead: Bead, can: BeadsAbilities, why: string): Promise<void> {
  const as = [...(bead.assignee === '' ? [] : ['--actor', bead.assignee]), '--json'];
  const labels = phasesOf(bead).flatMap((phase) => ['--remove-label', phaseLabel(phase)]);
  if (labels.length > 0) await bd.must(['update', bead.id, ...labels, ...as]);
  const args = givingBack(bead, can, why);
  const given = await bd.must([...args, ...as]);
  if (given.beads.some(({ assignee }) => isLoopActor(assignee))) throw failure(args, 'it is still assigned');
}

/** A status that a person gave it stays, and only the name goes. */
function givingBack({ id, status, assignee }: Bead, can: BeadsAbilities, why: string): readonly string[] {
  if (status !== 'in_progress') return ['update', id, '--assignee', ''];
  if (can.unclaim && assignee !== '') return ['unclaim', id, '--reason', why];
  return ['update', id, '--status', 'open', '--assignee', ''];
}

const NOTE = /^ralph: .*$/m;

/** Branch and attempt, where a person looks for them: in metadata, else in a line of the notes. */
export function attempted(bead: Bead, { branch, attempt }: Hold, can: BeadsAbilities): readonly string[] {
  if (can.metadata) return ['--set-metadata', `branch=${branch}`, '--set-metadata', `attempt=${attempt}`];
  const line = `ralph: branch ${branch}, attempt ${attempt}`;
  if (bead.notes.split('\n').includes(line)) return [];
  const notes = NOTE.test(bead.notes) ? bead.notes.replace(NOTE, () => line) : [bead.notes, line].join('\n').trim();
  return ['--notes', notes];
}
