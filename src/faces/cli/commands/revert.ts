import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { loopId, slug, taskId } from '../../../core/model/ids.ts';
import type { LoopId, Sha, TaskId, TaskKey } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { isFile, trackerOf } from '../../../core/model/tasks.ts';
import { markTask } from '../../../text/trackers/mark-task.ts';
import { trackerKindOf } from '../../../text/trackers/tracker-names.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { moveRef } from '../../../world/git/refs/refs.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import { logFolder } from '../../../world/git/run/state-places.ts';
import { openView } from '../../../world/git/run/view.ts';
import { treeOf } from '../../../world/git/objects/trees.ts';
import { realIds } from '../../../world/ids.ts';
import { makeRevert } from '../../../world/landing/revert.ts';
import type { Reverted } from '../../../world/landing/revert.ts';
import { readLogOnly } from '../../../world/log/file-log.ts';
import { editTaskFile } from '../../../world/trackers/edit-task-file.ts';
import { findOne } from '../../call/find-one.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { awaitState } from '../../call/await-state.ts';
import { driveHost } from '../run/drive-host.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import { finishRun } from '../run/finish-run.ts';
import { openLandingWorld } from '../run/landing-world.ts';
import { landPolicy } from '../run/policy.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';

type Made = Extract<Event, { type: 'revert-made' }>;

/** Undoes a landing by one of its own: its gates decide, and main is never anything but green. */
interface LeftToLand {
  readonly loop: string;
  readonly task: string;
  /** What is undone. */
  readonly commit: string;
  readonly landed: boolean;
}

export const handle: Handler<RunAnswer | LeftToLand> = async (call) => {
  refuseInLoop(call, 'revert');
  const project = await startProject(call);
  const state = await readState(project.repo);
  const { target } = await preflight(project.repo, project.config.settings.landing.target);
  const task = landedTask(state, call.args[0] ?? '');
  refuseTwice(state, task);
  refuseOther(state, task, target);
  const { made, isUnticked } = await make(project, state, task);
  const host = Object.values(state.hosts).find(({ state: at }) => at === 'up');
  const answer =
    host === undefined ? await land(call, project, target, made) : await leave(call, project, made, host.mark.pid);
  const { loops } = await readState(project.repo);
  const phase = loops[made.loop]?.phase;
  const { exit = EXIT.ok } = answer;
  if (phase?.at !== 'landed') return { ...answer, exit: exit === EXIT.ok ? EXIT.parked : exit };
  call.out.say(`${cleanLine(idOf(task))} is undone as ${phase.commit.slice(0, 12)}; its task is open again`);
  if (!isUnticked) openLoose(call, project, trackerOf(state, task), taskId(idOf(task)));
  return { ...answer, exit: EXIT.ok };
};

const idOf = (task: TaskKey): string => task.slice(task.lastIndexOf('#') + 1);

function landedTask(state: State, id: string): TaskKey {
  const landed = Object.entries(state.landed) as [TaskKey, State['landed'][TaskKey]][];
  const [task] = findOne(
    landed,
    ([key, one]) => [idOf(key), ...(one === undefined ? [] : [one.loop, one.commit])],
    id,
    'landed task',
    'ralph status',
  );
  return task;
}

/** Each target has an integration of its own. */
function refuseOther({ landed, loops }: State, task: TaskKey, target: string): void {
  const own = loops[landed[task]?.loop ?? loopId('')]?.target ?? target;
  if (own === target) return;
  throw new AppError('E_USAGE', `${idOf(task)} landed on ${own}, and this is about ${target}`, {
    remedy: `ralph revert ${shellWord(idOf(task))} --target ${shellWord(own)}`,
  });
}

/** Two that undo the same would meet on the train. */
function refuseTwice({ loops }: State, task: TaskKey): void {
  const one = Object.values(loops).find(({ reverts, phase }) => reverts?.task === task && phase.at === 'ready');
  if (one === undefined) return;
  throw new AppError('E_BUSY', `${one.id} undoes ${idOf(task)} already, and waits to land`, {
    remedy: `ralph land ${shellWord(one.id)}`,
  });
}

interface Making {
  readonly made: Made;
  /** Its box is open in the commit; else its task file is in no commit. */
  readonly isUnticked: boolean;
}

async function make({ repo, config }: Project, state: State, task: TaskKey): Promise<Making> {
  const { landed, integration } = state;
  const commit = landed[task]?.commit;
  if (commit === undefined || integration === null) throw notThere(task);
  const view = await openView(repo);
  const identity = await readCommitter(repo, config.settings.landing.sign);
  const id = taskId(idOf(task));
  const title = `Revert ${cleanLine(id)}: ${state.loops[landed[task]?.loop ?? loopId('')]?.title ?? ''}`.replace(
    /: $/,
    '',
  );
  const message = `${title}\n\nThis reverts commit ${commit}.\n`;
  const before = (await baseOf(repo, commit)) ?? (await parentOf(view, commit));
  const order = { commit, before, integration, tracker: trackerOf(state, task), task: id, message };
  const made = requireMade(await makeRevert({ view, identity }, order), task, commit);
  const ids = realIds(repo);
  const loop = freeId(id, ids);
  const branch = `ralph/${loop}`;
  await moveRef(view, `refs/heads/${branch}`, made.head, null, `revert ${commit}`);
  const baseTree = await treeOf(view, integration);
  const { head, tree, isUnticked } = made;
  const event = { loop, task, commit, title, branch, base: integration, baseTree, head, tree };
  return { made: { type: 'revert-made', ...event }, isUnticked };
}

function freeId(task: string, ids: ReturnType<typeof realIds>): LoopId {
  for (;;) {
    const id = loopId(`revert-${slug(task)}-${ids.suffix()}`);
    if (ids.isFree(`ralph/${id}`)) return id;
  }
}

function requireMade(made: Reverted, task: TaskKey, commit: Sha): Extract<Reverted, { readonly tree: Sha }> {
  const id = idOf(task);
  if ('conflicts' in made)
    throw new AppError(
      'E_NEEDS_PERSON',
      `what landed after ${id} changes the same lines: ${made.conflicts.map(cleanLine).join(', ')}`,
      {
        facts: ['nothing is changed; undo it by hand, or let an agent do that'],
        remedy: `ralph run ${shellWord(`Undo commit ${commit}, and keep what landed after it`)}`,
      },
    );
  if (made.head === null)
    throw new AppError('E_USAGE', `nothing of ${id} is left to undo`, { remedy: `git show ${commit.slice(0, 12)}` });
  return made;
}

const notThere = (task: TaskKey): AppError =>
  new AppError('E_UNKNOWN_ID', `${idOf(task)} has not landed`, { remedy: 'ralph status' });

/** What integration was before a landing, as the train that brought it tells: one that was rebased is more than a commit. */
async function baseOf(repo: Project['repo'], commit: Sha): Promise<Sha | null> {
  const log = readLogOnly<Event>(logFolder(repo));
  let found: Sha | null = null;
  for (const { events } of await log.read(0))
    for (const event of events) {
      const at = event.type === 'train-built' ? event.cars.findIndex((car) => car.commit === commit) : -1;
      if (event.type === 'train-built' && at >= 0) found = event.cars[at - 1]?.commit ?? event.base;
    }
  return found;
}

async function parentOf(view: Awaited<ReturnType<typeof openView>>, commit: Sha): Promise<Sha> {
  const { stdout } = await view.run(['rev-parse', '--verify', '--end-of-options', `${commit}^1`]);
  return stdout.trim() as Sha;
}

/** As `ralph land` does: a host without room for loops. */
async function land(call: Call, project: Project, target: string, made: Made): Promise<Answer<RunAnswer>> {
  const { settings } = project.config;
  const world = await openLandingWorld(call, project, target);
  const policy = landPolicy({ settings, tracker: world.tracker.path, target, env: call.env });
  const driven = await driveHost(call, { world, policy, settings, opening: () => [made] });
  return finishRun(call, driven, policy);
}

/** A host is at work: it lands this as well. */
async function leave(call: Call, { repo }: Project, made: Made, pid: number): Promise<Answer<LeftToLand>> {
  await writeFacts(repo, async () => [made]);
  call.out.say(`${made.loop} waits to land; the host with process ${pid} tests and lands it`);
  const { loops } = await awaitState(repo, ({ loops: all, hosts }) => {
    const at = all[made.loop]?.phase.at;
    return at !== 'ready' || Object.values(hosts).every(({ state }) => state !== 'up');
  });
  const isLanded = loops[made.loop]?.phase.at === 'landed';
  const data = { loop: made.loop, task: idOf(made.task), commit: made.commit, landed: isLanded };
  return { data, exit: isLanded ? EXIT.ok : EXIT.parked };
}

/** A task file that git does not have is opened where it lies. */
function openLoose(call: Call, { repo, config }: Project, tracker: string, id: TaskId): void {
  if (!isFile(tracker)) {
    call.out.say(`${tracker} keeps the task: open it there again`);
    return;
  }
  try {
    editTaskFile(repo, config.target, tracker, (text) => {
      const marked = markTask(trackerKindOf(tracker) ?? 'markdown', text, id, 'open');
      return marked.ok ? marked.text : text;
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    call.out.say(`its box in ${cleanLine(tracker)} stays as it is: ${error.message}`);
  }
}
