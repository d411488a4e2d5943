import { EXIT } from '../../../core/errors.ts';
import { describeForeseen } from '../../../core/foreseen.ts';
import { isPromptTracker } from '../../../core/tasks.ts';
import type { AccountView, StatusView } from '../../../core/view.ts';
import { statusView } from '../../../core/view.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Call, Handler } from '../handler.ts';
import { openTasks } from '../open-tasks.ts';
import { columns } from '../output.ts';
import { openProject, readState } from '../project.ts';
import { sayWhere } from '../say-where.ts';
import { warnAll } from '../warn-all.ts';
import { describeMs } from '../../../core/describe-time.ts';
import { howMany } from '../../../core/how-many.ts';

export const handle: Handler = async (call) => {
  const project = await openProject(call);
  sayWhere(call, project.repo);
  const { tracker, state, warnings } = await openTasks(project, await readState(project.repo));
  warnAll(call, warnings);
  const view = statusView(state, tracker, Date.now());
  if (call.flags['json'] === true) call.out.json(view);
  else if (call.flags['parallel'] === true) call.out.data(workers(view));
  else show(call, view);
  return EXIT.ok;
};

function show(call: Call, view: StatusView): void {
  const { counts } = view;
  const told = (
    [
      'running',
      'interrupted',
      'orphaned',
      'queued',
      'landing',
      'ready',
      'landed',
      'parked',
      'waiting',
      'blocked',
      'done',
    ] as const
  ).filter((state) => counts[state] > 0);
  call.out.data(
    `${isPromptTracker(view.tracker) ? 'prompts' : view.tracker}: ${howMany(counts.tasks, 'task')}${told.length === 0 ? '' : `; ${told.map((state) => `${counts[state]} ${state}`).join(', ')}`}`,
  );
  if (view.workers.length > 0) call.out.data(`\n${workers(view)}`);
  for (const held of view.accounts) call.out.data(`\n${heldLine(held)}`);
  if (view.run.overspent !== null) call.out.data(`\nthe run's budget is spent: ${view.run.overspent}`);
  if (view.disk !== null) {
    const { free_mb: free, floor_mb: floor } = view.disk;
    call.out.data(`\nnothing new starts: ${free} MB free on the disk, ${floor} MB asked for; make room: ralph prune`);
  }
  for (const { id, pid } of view.hosts.filter((host) => host.state === 'stopped'))
    call.out.data(`\nhost ${id} is suspended and its loops wait; wake it: kill -CONT ${pid}`);
  const open = view.tasks.filter((task) => task.next !== null);
  if (open.length > 0)
    call.out.data(
      `\n${columns(open.map((task) => [task.status, task.id, task.detail ?? '', `next: ${task.next ?? ''}`]))}`,
    );
  if (view.queue_paused) call.out.data('\nthe queue is paused; let it go: ralph queue resume');
  if (view.trouble !== null)
    call.out.data(`\nlanding is stopped: ${cleanLine(`${view.trouble.detail} ${view.trouble.paths.join(', ')}`)}`);
  if (view.publish_blocked !== null) {
    const { why, paths } = view.publish_blocked;
    call.out.data(`\npublishing is blocked: ${cleanLine(`${why} ${paths.join(', ')}`)}`);
  }
  if (view.hosts.length === 0 && counts.waiting > 0) call.out.say('no host runs; start one: ralph run --parallel');
}

/** How long it still takes, so that nobody has to count. */
function heldLine({ account, kind, detail, until, left_ms: leftMs }: AccountView): string {
  const held = `${cleanLine(account)} is held (${kind}): ${cleanLine(detail)}`;
  if (until === null || leftMs === null) return held;
  return `${held}; resumes in ${describeMs(leftMs)}, at ${new Date(until).toISOString()}`;
}

/** The most urgent thing to know about a loop. */
function noteOf({ error, foreseen, rework, progress }: StatusView['workers'][number]): string {
  const meets = foreseen.map((one) => describeForeseen(one)).join('; ');
  const back = rework === null ? '' : `back at work: ${rework.detail}`;
  return cleanLine([error, meets, back, progress].find((note) => note != null && note !== '') ?? '');
}

function workers(view: StatusView): string {
  if (view.workers.length === 0) return 'no loop is running';
  const rows = view.workers.map((one) => [
    String(one.slot),
    one.task,
    one.status,
    `iteration ${one.iteration}`,
    describeMs(one.duration_ms),
    one.gates ?? '-',
    one.agent,
    one.branch,
    noteOf(one),
  ]);
  return columns([['slot', 'task', 'status', 'iteration', 'time', 'gates', 'agent', 'branch', 'note'], ...rows]);
}
