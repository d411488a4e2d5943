import { accountOf, isForPerson } from './accounts.ts';
import type { ExitCode } from './errors.ts';
import { EXIT } from './errors.ts';
import { describeHold } from './describe-hold.ts';
import { describeWaiting } from './describe-waiting.ts';
import { putBacksOf } from './describe-put-back.ts';
import { loopId } from './ids.ts';
import type { HostPolicy, ParkReason, State } from './model.ts';
import { planRun } from './plan-run.ts';
import { shellWord } from './remedy.ts';
import type { TaskView } from './view.ts';
import { promptViews, taskViews } from './view.ts';

/** What came of a run, counted from what is so, not from what was tried. */
export interface Summary {
  readonly landed: readonly TaskLine[];
  readonly ready: readonly TaskLine[];
  readonly parked: readonly TaskLine[];
  /** Thrown away by a person: neither done nor left to do. */
  readonly discarded: readonly TaskLine[];
  readonly interrupted: readonly TaskLine[];
  /** Another host is at work on it, beside one that only lands. */
  readonly running: readonly TaskLine[];
  readonly waiting: readonly TaskLine[];
  readonly blocked: readonly TaskLine[];
  readonly done: readonly TaskLine[];
  readonly trouble: string | null;
  /** The command that brings landing on again, where one does; null: it goes on by itself, or its words say how. */
  readonly troubleNext: string | null;
  /** What keeps agents from working, in words. */
  readonly held: readonly string[];
  /** The run's budget that is spent, in words; null: there is room, or no bound. */
  readonly overspent: string | null;
  readonly proposals: readonly string[];
  /** What was on integration and nothing vouched for, in words. */
  readonly put_back: readonly string[];
  readonly publish: PublishLine;
  readonly exit: ExitCode;
}

export interface TaskLine {
  readonly task: string;
  readonly title: string;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly reason: ParkReason | null;
  readonly detail: string | null;
  readonly next: string | null;
  /** Files it changed that later gates and agents go by, where it is ready or landed in this run; absent: none. */
  readonly obeyed?: readonly string[];
}

export type PublishLine =
  | { readonly state: 'nothing' | 'published' | 'pending' }
  | { readonly state: 'blocked'; readonly why: string; readonly paths: readonly string[] };

const EVERY_SLOT = 10_000;

/** `before`: what was so when it began, where only what it did is to be told; null: all that there is. */
export function summarize(state: State, policy: HostPolicy, before: State | null = null): Summary {
  const views = [
    ...taskViews(state, policy.tracker),
    ...(policy.slots === 0 ? promptsOf(state).filter((view) => hasChanged(before, state, view)) : []),
  ];
  const held = heldLines(state, policy);
  const waits = new Map(
    planRun(state, { ...policy, slots: EVERY_SLOT }).waits.map(({ task, waiting }) => [
      String(task.id),
      describeWaiting(waiting),
    ]),
  );
  const pick = (...statuses: readonly TaskView['status'][]): readonly TaskLine[] =>
    views.filter((view) => statuses.includes(view.status)).map((view) => ({ ...line(view), ...obeyedBy(state, view) }));
  // A new host would try again, so the plan does not say what stopped this one.
  const closed = state.run.overspent === null ? (held[0] ?? null) : `the run's budget is spent: ${state.run.overspent}`;
  const aside = pick('parked');
  const parked = aside.filter((task) => task.reason !== 'discarded');
  const isElsewhere = policy.slots === 0;
  const interrupted = pick('interrupted', 'orphaned', ...(isElsewhere ? [] : (['running'] as const)));
  const publish = publishLine(state);
  const trouble = troubleLine(state);
  const needsPerson = trouble !== null || publish.state === 'blocked';
  return {
    landed: pick('landed'),
    ready: pick('ready', 'queued', 'landing'),
    parked,
    discarded: aside.filter((task) => task.reason === 'discarded'),
    interrupted,
    running: isElsewhere ? pick('running') : [],
    waiting: pick('waiting').map((task) => ({ ...task, detail: waits.get(task.task) ?? closed })),
    blocked: pick('blocked'),
    done: pick('done'),
    trouble,
    troubleNext: troubleNext(state, policy),
    held,
    overspent: state.run.overspent,
    proposals: state.proposals.map((one) => one.title),
    put_back: putBacksOf(state),
    publish,
    exit: exitOf(state, {
      parked: parked.length,
      interrupted: interrupted.length,
      waiting: pick('waiting').length,
      needsPerson,
    }),
  };
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
  return queuePaused && isWaiting ? 'the queue is paused. let it go: ralph queue resume' : null;
}

/** Only a person can merge what conflicts; what they merged is followed. */
function troubleNext({ landingTrouble: trouble }: State, { target }: HostPolicy): string | null {
  if (trouble?.kind !== 'upstream-conflict') return null;
  return `git merge ${shellWord(`refs/paralph/int/${target}`)} && ralph land --all`;
}

interface Counts {
  readonly parked: number;
  readonly interrupted: number;
  readonly waiting: number;
  readonly needsPerson: boolean;
}

function exitOf(state: State, { parked, interrupted, waiting, needsPerson }: Counts): ExitCode {
  if (state.run.overspent !== null && interrupted + waiting > 0) return EXIT.limit;
  if (parked > 0) return EXIT.parked;
  if (interrupted + waiting > 0 && needsLogin(state)) return EXIT.needsPerson;
  if (interrupted > 0) return EXIT.parked;
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
  return { state: published === state.integration ? 'published' : 'pending' };
}

/** What it has brought in this run, or brings when a person lands it. */
function obeyedBy(state: State, { loop, status }: TaskView): Pick<TaskLine, 'obeyed'> {
  const made = loop === null ? undefined : state.loops[loopId(loop)];
  const { obeyed = [] } = made ?? {};
  const isToldOf = status === 'landed' ? (made?.since ?? 0) >= state.run.since : status === 'ready';
  return obeyed.length === 0 || !isToldOf ? {} : { obeyed };
}

function line(view: TaskView): TaskLine {
  return {
    task: view.id,
    title: view.title,
    branch: view.branch,
    commit: view.commit,
    reason: view.reason,
    detail: view.detail,
    next: view.next,
  };
}
