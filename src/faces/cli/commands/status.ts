import { relative } from 'node:path';
import { describeWaiting } from '../../../core/views/describe-waiting.ts';
import { AppError } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { describeForeseen } from '../../../core/views/foreseen.ts';
import { isOver, loopRows } from '../../../core/views/loops-view.ts';
import { isPromptTask, isPromptTracker } from '../../../core/model/tasks.ts';
import { isForPerson, TASK_STATES } from '../../../core/views/standing.ts';
import { countKey, statusView } from '../../../core/views/view.ts';
import { isAtWork } from '../../../core/views/view-workers.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { openTasksIfAny } from '../../call/open-tasks.ts';
import { withChosen } from '../run/choose-tasks.ts';
import { startable } from '../run/startable.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { sayWhere } from '../show/say-where.ts';
import { warnAll } from '../show/warn-all.ts';
import { describeMs, howMany } from '../../../core/model/describe-time.ts';
import { localTime } from '../../../world/os/clock.ts';
import { FIRST_TASK } from '../../../world/trackers/find-tracker.ts';
import type { LoopRow } from '../../../core/views/loops-view.ts';
import type { State } from '../../../core/model/model.ts';
import type { AccountView, StatusView } from '../../../core/views/view.ts';
import type { Answer, Call } from '../../call/handler.ts';

interface Status extends StatusView {
  /** Tasks that could start now if there were a slot. */
  readonly startable: readonly string[];
}

const NAMED_MAX = 8;

export const handle = async (call: Call): Promise<Answer<Status> | ExitCode> => {
  if (call.flags['watch'] === true) return watchOn(call);
  const project = await openProject(call);
  sayWhere(call, project.repo);
  const { tracker, state: all, warnings } = await openTasksIfAny(project, await readState(project.repo));
  const state = withChosen(call, all, tracker);
  warnAll(call, warnings);
  const { repo, config } = project;
  const { settings } = config;
  const seen = statusView(state, tracker, Date.now(), settings.limits.attempts, settings.project);
  const view: Status = { ...seen, startable: startable(state, { tracker, settings, env: call.env }) };
  if (call.flags['json'] === true) return { data: view };
  if (call.flags['parallel'] === true) call.out.data(workers(view.workers, repo.root, call.out.width));
  else {
    show(call, view, repo.root);
    if (isPromptTracker(tracker)) showWithoutTasks(call, state);
  }
  return { data: view };
};

async function watchOn(call: Call): Promise<ExitCode> {
  if (call.flags['json'] === true)
    throw new AppError('E_USAGE', '--watch and --json exclude each other', { remedy: 'ralph events -f' });
  const { watch } = await import('./watch.ts');
  return watch(call, null, true);
}

function show(call: Call, view: Status, root: string): void {
  const { counts, startable: free } = view;
  const told = TASK_STATES.filter((state) => counts[countKey(state)] > 0);
  const isWithoutTasks = isPromptTracker(view.tracker);
  if (!isWithoutTasks || counts.tasks > 0)
    call.out.data(
      `${isWithoutTasks ? 'prompts' : view.tracker}: ${howMany(counts.tasks, 'task')}${told.length === 0 ? '' : `; ${told.map((state) => `${counts[countKey(state)]} ${state}`).join(', ')}`}`,
    );
  const working = view.workers.filter(isAtWork);
  if (working.length > 0) call.out.data(`\n${workers(working, root, call.out.width)}`);
  if (free.length > 0) {
    const more = free.length > NAMED_MAX ? ` and ${free.length - NAMED_MAX} more` : '';
    call.out.data(`\ncan start: ${cleanLine(free.slice(0, NAMED_MAX).join(', '))}${more}`);
  }
  for (const held of view.accounts) call.out.data(`\n${heldLine(held)}`);
  if (view.run.overspent !== null) call.out.data(`\nthe run's budget is spent: ${view.run.overspent}`);
  const { reached } = view.project;
  if (reached !== null)
    call.out.data(
      `\na limit of the project is reached: ${reached.spent}; nothing new starts. raise it: ${reached.next}`,
    );
  if (view.disk !== null) {
    const { free_mb: free, floor_mb: floor } = view.disk;
    call.out.data(`\nnothing new starts: ${free} MB free on the disk, ${floor} MB required; make room: ralph prune`);
  }
  if (view.paused)
    call.out.data('\nthe run is paused: nothing new starts, loops at work continue; to continue: ralph unpause');
  if (view.unread !== null && view.unread.waiting > 0) {
    const { waiting, at_work: atWork, max } = view.unread;
    call.out.data(`\n${describeWaiting({ why: 'review', waiting, atWork, max })}`);
  }
  for (const { id, pid } of view.hosts.filter((host) => host.state === 'stopped'))
    call.out.data(`\nhost ${id} is suspended and its loops wait; wake it: kill -CONT ${pid}`);
  const open = view.tasks.filter(isForPerson);
  if (open.length > 0)
    call.out.data(
      `\n${columns(
        open.map((task) => [task.state, task.id, cleanLine(task.why), `next: ${task.next ?? ''}`]),
        call.out.width,
      )}`,
    );
  if (view.base !== null) call.out.data(`\n${cleanLine(view.base)}`);
  if (view.queue_paused) call.out.data('\nthe queue is paused; to resume: ralph queue resume');
  if (view.trouble !== null)
    call.out.data(`\nlanding is stopped: ${cleanLine(`${view.trouble.detail} ${view.trouble.paths.join(', ')}`)}`);
  if (view.publish_blocked !== null) {
    const { why, paths } = view.publish_blocked;
    call.out.data(`\npublishing is blocked: ${cleanLine(`${why} ${paths.join(', ')}`)}`);
  }
  if (view.hosts.length === 0 && counts.open > 0) call.out.say('no host runs; start one: ralph run --parallel');
}

const isPrompt = ({ loops }: State, { id }: LoopRow): boolean => {
  const task = loops[id]?.task;
  return task !== undefined && isPromptTask(task);
};

/** There is something to see without a task file, too, and a next step. */
function showWithoutTasks({ out }: Call, state: State): void {
  const open = loopRows(state, Date.now()).filter((row) => !isOver(row) && !isPrompt(state, row));
  if (open.length > 0)
    out.data(
      `\n${columns(
        open.map((row) => [row.state, row.id, cleanLine(row.title), `next: ${row.next}`]),
        out.width,
      )}`,
    );
  out.say(`no task file. one loop: ralph run "what should be done"   a list: ${FIRST_TASK}`);
}

/** How long it still takes, so that nobody has to count. */
function heldLine({ account, kind, detail, until, left_ms: leftMs }: AccountView): string {
  const held = `${cleanLine(account)} is held (${kind}): ${cleanLine(detail)}`;
  if (until === null || leftMs === null) return held;
  return `${held}; resumes in ${describeMs(leftMs)}, at ${localTime(Date.parse(until))}`;
}

/** The most urgent thing to know about a loop. */
function noteOf({ error, foreseen, rework, progress }: StatusView['workers'][number]): string {
  const meets = foreseen.map((one) => describeForeseen(one)).join('; ');
  const back = rework === null ? '' : `back at work: ${rework.detail}`;
  return cleanLine([error, meets, back, progress].find((note) => note != null && note !== '') ?? '');
}

function workers(all: StatusView['workers'], root: string, width: number): string {
  if (all.length === 0) return 'no loop is running';
  const rows = all.map((one) => [
    String(one.slot),
    one.task,
    one.state,
    `iteration ${one.iteration}`,
    describeMs(one.duration_ms),
    one.gates_status ?? '-',
    one.agent,
    one.branch,
    one.worktree === null ? '-' : cleanLine(relative(root, one.worktree) || '.'),
    noteOf(one),
  ]);
  return columns(
    [['SLOT', 'TASK', 'STATE', 'ITER', 'TIME', 'GATES', 'AGENT', 'BRANCH', 'WORKTREE', 'NOTE'], ...rows],
    width,
  );
}
