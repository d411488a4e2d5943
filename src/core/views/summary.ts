import { accountOf, isForPerson } from '../loops/accounts.ts';
import type { BaseRed } from '../model/base-model.ts';
import { asLastJoined, holdingBase } from '../loops/base.ts';
import type { ExitCode } from '../model/errors.ts';
import { EXIT } from '../model/errors.ts';
import { describeHold } from './describe-hold.ts';
import { describeWaiting } from './describe-waiting.ts';
import { putBacksOf } from './describe-put-back.ts';
import type { TaskKey } from '../model/ids.ts';
import { loopId, taskId, taskKey } from '../model/ids.ts';
import { fitsAll } from '../model/filters.ts';
import { canBeQueued } from '../loops/landing-queue.ts';
import type { HostPolicy, State } from '../model/model.ts';
import { planRun } from '../plan/plan-run.ts';
import { asGate, inNewWorktree, shellWord } from '../model/shell-word.ts';
import { reachedLimit, type Reached } from '../model/project-limits.ts';
import { findTask, isPromptTracker, taskIdOf } from '../model/tasks.ts';
import type { Standing, TaskState } from './standing.ts';
import type { TaskView } from './view.ts';
import { promptViews, taskViews, withdrawnViews } from './view.ts';

/** What came of a run, counted from what is so, not from what was tried. */
export interface Summary {
  readonly landed: readonly TaskLine[];
  readonly ready: readonly TaskLine[];
  readonly parked: readonly TaskLine[];
  /** Thrown away by a person: neither done nor left to do. */
  readonly discarded: readonly TaskLine[];
  /** By a person, or because its host is gone. */
  readonly stopped: readonly TaskLine[];
  /** Another host is at work on it, beside one that only lands. */
  readonly at_work: readonly TaskLine[];
  /** Given back: no agent may work, or what it may use is used. */
  readonly waiting: readonly TaskLine[];
  /** Not begun, and why. */
  readonly open: readonly TaskLine[];
  readonly blocked: readonly TaskLine[];
  readonly done: readonly TaskLine[];
  readonly trouble: string | null;
  /** The command that brings landing on again, where one does; null: it goes on by itself, or its words say how. */
  readonly trouble_next: string | null;
  /** Main itself fails its gates; null: it does not, as far as known, or nothing waits for that. */
  readonly base: BaseLine | null;
  /** What keeps agents from working, in words. */
  readonly held: readonly string[];
  /** The run's budget that is spent, in words; null: there is room, or no bound. */
  readonly overspent: string | null;
  /** The limit of the project that is reached; null: none is. */
  readonly limit: Reached | null;
  readonly proposals: readonly string[];
  /** What was on integration and nothing vouched for, in words. */
  readonly put_back: readonly string[];
  readonly publish: PublishLine;
  readonly exit: ExitCode;
}

export interface TaskLine extends Standing<TaskState> {
  readonly task: string;
  readonly title: string;
  readonly branch: string | null;
  readonly commit: string | null;
  /** Files it changed that later gates and agents go by, where it is ready or landed in this run; absent: none. */
  readonly obeyed?: readonly string[];
}

export interface BaseLine {
  readonly commit: string;
  readonly gate: string;
  readonly tail: string;
  readonly likely: readonly string[];
  /** Shows the same failure again. */
  readonly reproduce: string;
  /** What helps, each a command. */
  readonly next: readonly string[];
}

export type PublishLine =
  | { readonly state: 'nothing' | 'published' | 'pending' }
  | { readonly state: 'blocked'; readonly why: string; readonly paths: readonly string[] };

const EVERY_SLOT = 10_000;

/** `before`: what was so when it began, where only what it did is to be told; null: all that there is. */
export function summarize(state: State, asked: HostPolicy, before: State | null = null): Summary {
  const policy = asLastJoined(state, asked);
  const views = viewsToTell(state, policy, before);
  const accounts = heldLines(state, policy);
  const red = holdingBase(state, policy);
  const limit = reachedLimit(state, policy.project);
  const waits = new Map(
    planRun(state, { ...policy, slots: EVERY_SLOT, maxWorkers: EVERY_SLOT }).waits.map(({ task, waiting }) => [
      String(task.id),
      describeWaiting(waiting),
    ]),
  );
  const pick = (...states: readonly TaskState[]): readonly TaskLine[] =>
    views.filter((view) => states.includes(view.state)).map((view) => ({ ...line(view), ...obeyedBy(state, view) }));
  // A new host would try again, so the plan does not say what stopped this one.
  const closed =
    state.run.overspent !== null
      ? `the run's budget is spent: ${state.run.overspent}`
      : red === null
        ? (accounts[0] ?? null)
        : describeWaiting({ why: 'base', gate: red.report.failing ?? '' });
  const parked = pick('parked');
  const isElsewhere = policy.slots === 0;
  const atWork = pick('at-work');
  // Who does not only land has none at work when it ends: what the log still calls so was cut short.
  const stopped = [...pick('stopped'), ...(isElsewhere ? [] : atWork)];
  const waiting = pick('waiting');
  const open = pick('open').map((task) => ({ ...task, why: waits.get(task.task) ?? closed ?? task.why }));
  const publish = publishLine(state);
  const trouble = troubleLine(state);
  const isLeft = stopped.length + waiting.length + open.length + parked.length > 0;
  const base = isLeft && red !== null ? baseLine(state, policy, red) : null;
  const needsPerson = trouble !== null || publish.state === 'blocked';
  return {
    landed: pick('landed'),
    ready: pick('ready', 'landing', 'in-review'),
    parked,
    discarded: pick('discarded'),
    stopped,
    at_work: isElsewhere ? atWork : [],
    waiting,
    open,
    blocked: pick('blocked'),
    done: pick('done'),
    trouble,
    trouble_next: troubleNext(state, policy),
    base,
    held: accounts,
    overspent: state.run.overspent,
    limit,
    proposals: state.proposals.map((one) => one.title),
    put_back: putBacksOf(state),
    publish,
    exit: isElsewhere
      ? exitOfLanding(views, { state, before, needsPerson, isBaseRed: base !== null })
      : exitOf(state, {
          // Nobody waits for a task that was taken out of the list.
          parked: [...parked, ...stopped.filter(isByYou)].filter(({ task }) => isListed(state, policy, task)).length,
          cutShort: [
            ...stopped.filter((task) => !isByYou(task)),
            ...waiting.filter((task) => task.reason !== 'base'),
          ].filter(({ task }) => isListed(state, policy, task)).length,
          open: open.length + waiting.filter(({ reason }) => reason === 'base').length,
          needsPerson,
          isBaseRed: base !== null,
          isLimited: limit !== null,
        }),
  };
}

const isByYou = ({ reason }: TaskLine): boolean => reason === 'you';

const isListed = (state: State, { tracker }: HostPolicy, task: string): boolean =>
  findTask(state, taskKey(tracker, taskId(task))) !== null;

/** What landed in earlier runs is in `ralph status`; a run tells what it did, and what is left. */
function viewsToTell(state: State, policy: HostPolicy, before: State | null): readonly TaskView[] {
  const isNews = ({ id, state: at }: TaskView): boolean =>
    at !== 'landed' || before === null || hasLanded(state, taskKey(policy.tracker, taskId(id)), before);
  const listed = state.trackers[policy.tracker]?.tasks ?? [];
  const others = new Set(listed.filter((task) => !fitsAll(policy.choice ?? [], task)).map(({ id }) => String(id)));
  const tasks = taskViews(state, policy.tracker, policy.limits.attempts).filter(({ id }) => !others.has(id));
  const gone = withdrawnViews(state, policy.tracker).filter(({ id }) => tasks.every((view) => view.id !== id));
  const isOfNow = ({ loop }: TaskView): boolean =>
    before !== null && loop !== null && before.loops[loop]?.phase !== state.loops[loop]?.phase;
  return [
    ...gone.filter((view) => isOfNow(view) && isNews(view)),
    ...(isPromptTracker(policy.tracker) ? tasks : tasks.filter(isNews)),
    ...(policy.slots === 0 ? promptsOf(state).filter((view) => hasChanged(before, state, view)) : []),
  ];
}

/** Since then, or earlier in a run that was cut short and goes on. */
function hasLanded(state: State, task: TaskKey, before: State): boolean {
  const [then, now] = [before.landed[task], state.landed[task]];
  return then?.commit !== now?.commit || (before.run.isOpen && (then?.at ?? 0) >= before.run.since);
}

/** A host that only lands has no prompt of its own: it tells of those that something became of. */
function promptsOf(state: State): readonly TaskView[] {
  return promptViews(state, '').filter(({ loop }) => {
    const since = loop === null ? undefined : state.loops[loopId(loop)]?.since;
    return since !== undefined && since >= state.run.since;
  });
}

function hasChanged(before: State | null, { loops }: State, { loop }: TaskView): boolean {
  if (before === null || loop === null) return true;
  const [then, now] = [before.loops[loop]?.phase, loops[loop]?.phase];
  return then?.at !== now?.at || now?.at === 'ready' || now?.at === 'parked';
}

function troubleLine({ landingTrouble: trouble, queuePaused, ...state }: State): string | null {
  if (trouble !== null) return `${trouble.detail}${trouble.paths.length > 0 ? `: ${trouble.paths.join(', ')}` : ''}`;
  const isWaiting = Object.values(state.loops).some((loop) => loop.phase.at === 'ready' && loop.phase.queued);
  return queuePaused && isWaiting ? 'the queue is paused. to resume: ralph queue resume' : null;
}

/** Only a person can merge what conflicts; what they merged is followed. */
function troubleNext({ landingTrouble: trouble }: State, { target }: HostPolicy): string | null {
  if (trouble?.kind !== 'upstream-conflict') return null;
  return `git merge ${shellWord(`refs/paralph/int/${target}`)} && ralph land --all`;
}

/** Without the work of any loop it fails, so nothing that they do lands. */
function baseLine(state: State, policy: HostPolicy, { report, likely }: BaseRed): BaseLine {
  const { gatesHash, target } = policy;
  const gate = report.failing ?? '';
  const done = state.bases[gatesHash]?.mending[policy.tracker]?.done ?? null;
  const loop = done === null ? undefined : state.loops[done];
  const lands = loop !== undefined && canBeQueued(loop) ? [`ralph land ${shellWord(taskIdOf(state, loop.task))}`] : [];
  return {
    commit: state.bases[gatesHash]?.commit ?? '',
    gate,
    tail: report.tail,
    likely,
    reproduce: inNewWorktree(`refs/paralph/int/${target}`, asGate(gate)),
    next: [...lands, 'ralph run', 'ralph run --anyway'],
  };
}

interface Counts {
  readonly parked: number;
  readonly cutShort: number;
  readonly open: number;
  readonly needsPerson: boolean;
  readonly isBaseRed: boolean;
  readonly isLimited: boolean;
}

function exitOf(state: State, counts: Counts): ExitCode {
  const { parked, cutShort, open, needsPerson, isBaseRed, isLimited } = counts;
  if (isLimited && parked + cutShort + open > 0) return EXIT.limit;
  if (state.run.overspent !== null && cutShort + open > 0) return EXIT.limit;
  if (isBaseRed) return EXIT.needsPerson;
  if (parked > 0) return EXIT.parked;
  if (cutShort + open > 0 && needsLogin(state)) return EXIT.needsPerson;
  if (cutShort > 0) return EXIT.parked;
  return needsPerson ? EXIT.needsPerson : EXIT.ok;
}

interface Landing {
  readonly state: State;
  readonly before: State | null;
  readonly needsPerson: boolean;
  readonly isBaseRed: boolean;
}

/** Who only lands answers for what was to land: what else is parked or left is not its affair. */
function exitOfLanding(views: readonly TaskView[], { state, before, needsPerson, isBaseRed }: Landing): ExitCode {
  const isParkedNow = ({ loop, state: at, reason }: TaskView): boolean =>
    (at === 'parked' || reason === 'you') && (loop === null || before?.loops[loop]?.since !== state.loops[loop]?.since);
  const isStuck = views.some((view) => view.state === 'ready' || view.reason === 'queued');
  if (isBaseRed && (isStuck || views.some(isParkedNow))) return EXIT.needsPerson;
  if (views.some(isParkedNow)) return EXIT.parked;
  return needsPerson ? EXIT.needsPerson : EXIT.ok;
}

const needsLogin = (state: State): boolean => Object.values(state.accounts).some(({ hold }) => isForPerson(hold));

function heldLines(state: State, { agents }: HostPolicy): readonly string[] {
  const accounts = [...new Set(agents.map((agent) => agent.account))];
  return accounts.flatMap((account) => {
    const hold = accountOf(state, account)?.hold ?? null;
    return hold === null ? [] : [`${account}: ${describeHold(hold)}`];
  });
}

function publishLine(state: State): PublishLine {
  const { published, blocked } = state.publishing;
  if (blocked !== null) return { state: 'blocked', why: blocked.why, paths: blocked.paths };
  if (Object.keys(state.landed).length === 0) return { state: 'nothing' };
  return { state: [published, state.targetHead].includes(state.integration) ? 'published' : 'pending' };
}

/** What it has brought in this run, or brings when a person lands it. */
function obeyedBy(state: State, { loop, state: at }: TaskView): Pick<TaskLine, 'obeyed'> {
  const made = loop === null ? undefined : state.loops[loopId(loop)];
  const { obeyed = [] } = made ?? {};
  const isToldOf = at === 'landed' ? (made?.since ?? 0) >= state.run.since : at === 'ready';
  return obeyed.length === 0 || !isToldOf ? {} : { obeyed };
}

function line({ id, title, branch, commit, state, reason, why, next }: TaskView): TaskLine {
  return { task: id, title, branch, commit, state, reason, why, next };
}
