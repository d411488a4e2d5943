import type { TaskId } from '../../../core/model/ids.ts';
import { taskId } from '../../../core/model/ids.ts';
import type { Bead } from '../../../text/trackers/beads-answer.ts';
import { isClosed, isLoopActor, phasesOf, PROPOSED } from '../../../text/trackers/beads-tasks.ts';
import type { Mark } from '../../../text/trackers/mark-task.ts';
import type { BdPlace } from './bd-program.ts';
import { failure } from './bd-program.ts';
import { openBeadsIssues } from './beads-issues.ts';
import type { BeadsCalls } from './beads-issues.ts';
import { giveBack } from './take-bead.ts';

export interface NewBead {
  readonly title: string;
  readonly body: string;
  readonly group: string | null;
  readonly priority: number | null;
  readonly deps: readonly string[];
}

/** What a person says of an issue; what `bd` refuses them is passed on. */
export async function markBead(place: BdPlace, task: TaskId, mark: Mark, reason: string | null): Promise<void> {
  await openBeadsIssues(place).alone(async (bd) => {
    const bead = await one(bd, task);
    if (mark === 'done') {
      if (!isClosed(bead)) await changed(bd, ['close', task, '-r', 'Done by hand']);
    } else if (mark === 'blocked') await changed(bd, ['update', task, '--status', 'blocked', ...noted(bead, reason)]);
    else {
      if (isClosed(bead)) await changed(bd, ['reopen', task]);
      else if (bead.status !== 'open') await changed(bd, ['update', task, '--status', 'open']);
      if (bead.labels.includes(PROPOSED)) await changed(bd, ['update', task, '--remove-label', PROPOSED]);
    }
  });
}

export async function addBead(place: BdPlace, { title, body, group, priority, deps }: NewBead): Promise<TaskId> {
  const more = [
    ...(group === null ? [] : ['-l', `group:${group}`]),
    ...(priority === null ? [] : ['-p', String(priority)]),
    ...(deps.length === 0 ? [] : ['--deps', deps.join(',')]),
    ...(body === '' ? [] : ['--body-file', '-']),
  ];
  const args = ['create', `--title=${title}`, '-t', 'task', ...more, '--json'];
  const { beads } = await openBeadsIssues(place).must(args, body);
  if (beads[0] === undefined) throw failure(args, 'it did not say what it made');
  return taskId(beads[0].id);
}

/** Frees what a loop, or another orchestrator, holds; a person's own work is left as it is. */
export async function freeBead(place: BdPlace, task: TaskId, isAgain: boolean): Promise<void> {
  const issues = openBeadsIssues(place);
  const can = await issues.abilities();
  await issues.alone(async (bd) => {
    const bead = await one(bd, task);
    if (isClosed(bead)) {
      if (isAgain) await changed(bd, ['reopen', task]);
      return;
    }
    const isHeld = bead.status === 'in_progress' && phasesOf(bead).length > 0;
    if (isHeld && (bead.assignee === '' || isLoopActor(bead.assignee))) await giveBack(bd, bead, can, 'freed by hand');
  });
}

async function one(bd: BeadsCalls, task: TaskId): Promise<Bead> {
  const bead = (await bd.show([task])).get(task);
  if (bead === undefined) throw failure(['show'], `no issue ${task}`);
  return bead;
}

/** Old versions end with 0 where they refused, and then show no issue. */
async function changed(bd: BeadsCalls, args: readonly string[]): Promise<void> {
  const { beads } = await bd.must([...args, '--json']);
  if (beads.length === 0) throw failure(args, 'it did not say what became of it');
}

const noted = ({ notes }: Bead, reason: string | null): readonly string[] =>
  reason === null ? [] : ['--notes', [notes, `blocked: ${reason}`].join('\n').trim()];
