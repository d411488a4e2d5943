import { describeAltered } from '../model/altered.ts';
import { putBacksOf } from './describe-put-back.ts';
import type { LoopId } from '../model/ids.ts';
import { describeForeseen, foreseenOf } from './foreseen.ts';
import { landingQueue } from '../loops/landing-queue.ts';
import type { GateReport, Loop, ParkReason, State } from '../model/model.ts';
import { whyNotAboard } from './standing.ts';
import { asGate, inNewWorktree, shellWord, showConflict } from '../model/shell-word.ts';
import { GUARDS } from '../loops/rework.ts';
import { taskIdOf } from '../model/tasks.ts';
import type { TaskView } from './view.ts';
import { howMany } from '../model/describe-time.ts';

/** Why a task is not landed, for a person who was not there. */
export interface Explanation {
  readonly sentences: readonly string[];
  /** The gate that stands in the way. */
  readonly gate: { readonly command: string; readonly tail: string } | null;
  /** Shows the same failure again; null: there is none to show. */
  readonly reproduce: string | null;
  readonly next: string | null;
}

export interface WhyFacts {
  readonly target: string;
  /** Why it does not start, where it waits. */
  readonly waiting: string | null;
}

export function explain(state: State, task: TaskView, facts: WhyFacts): Explanation {
  const loop = task.loop === null ? null : (state.loops[task.loop] ?? null);
  const red = loop?.lastGate?.verdict === 'red' ? loop.lastGate : null;
  const stopped = troubleOf(state, task);
  const gate = stopped.length > 0 ? (state.landingTrouble?.gate ?? red) : red;
  return {
    sentences: [
      ...sentencesOf(state, task, loop, facts),
      ...reworkOf(state, loop),
      ...historyOf(loop),
      ...slipIn(loop),
      ...alteredBy(loop),
      ...stopped,
      ...putBacksOf(state).map((line) => `Meanwhile ${line}.`),
    ],
    gate: gate === null ? null : { command: gate.failing ?? '', tail: gate.tail },
    reproduce:
      loop === null ? null : (mainTrouble(state, stopped, facts.target) ?? reproduction(loop, red, facts.target)),
    next: task.next,
  };
}

function sentencesOf(state: State, task: TaskView, loop: Loop | null, facts: WhyFacts): readonly string[] {
  switch (task.state) {
    case 'landed':
      return [
        `It has landed, as ${task.commit ?? '?'}.`,
        state.publishing.published === state.integration
          ? `${facts.target} holds it.`
          : `${facts.target} does not hold it yet.`,
      ];
    case 'done':
      return [task.reason === null ? `The task file says it is done (line ${task.line}).` : `It is ${task.why}.`];
    case 'blocked':
      return [`The task file says it is blocked: ${task.why}.`];
    case 'open':
      return [`It has not started: ${facts.waiting ?? 'no host runs'}.`];
    case 'at-work':
      return [`Loop ${task.loop ?? '?'} works on it: ${task.why}.`, ...meetingsOf(state, loop)];
    case 'waiting':
      return [`Loop ${task.loop ?? '?'} waits: ${task.why}${spentIn(state, task)}.`];
    case 'stopped':
      return [`Loop ${task.loop ?? '?'} is stopped: ${task.why}.`];
    case 'ready':
      return [
        loop?.lastGate?.isUntested === true
          ? `It is done, and no gates tested it; it waits on ${task.branch ?? '?'} for you to land it.`
          : `It is done and its gates are green; it waits on ${task.branch ?? '?'} for you to land it.`,
        ...(task.reason === 'manual' ? [] : [`It does not land by itself: ${task.why}.`]),
      ];
    case 'landing':
      return task.reason === 'train' ? trainInWords(state, task.loop) : queueInWords(state, task.loop);
    case 'in-review':
      return [`It is reviewed before it lands: ${task.why}.`];
    case 'discarded':
      return [`It was discarded: ${task.why}.`];
    case 'parked':
      return [`${PARKED[task.reason as keyof typeof PARKED]}: ${task.why}.`, ...byHand(task, facts.target)];
  }
}

const spentIn = ({ run }: State, { reason }: TaskView): string =>
  reason === 'budget' ? ` (${run.overspent ?? ''})` : reason === 'limit' ? '; ralph status names it' : '';

/** Where it stands in the queue, and what it waits for. */
function queueInWords(state: State, id: LoopId | null): readonly string[] {
  const queue = landingQueue(state);
  const loop = queue.find((one) => one.id === id);
  if (loop === undefined) return [];
  const ahead = queue.slice(0, queue.indexOf(loop)).map((one) => taskIdOf(state, one.task));
  const place = ahead.length === 0 ? 'It is the next to land.' : `It waits to land behind ${ahead.join(', ')}.`;
  return [place, `It ${whyNotAboard(state, loop)}.`.replace(/^It the /, 'The ')];
}

/** What the train it rides on is doing. */
function trainInWords(state: State, id: LoopId | null): readonly string[] {
  const { landing } = state;
  const place = landing?.cars.findIndex((car) => car.loop === id) ?? -1;
  if (landing === null || place < 0) return [];
  const runs = landing.runs.map((run) => {
    const upTo = landing.cars.findIndex((car) => car.commit === run.commit) + 1;
    return upTo === 0 ? 'main itself' : upTo === 1 ? 'the first car' : `the first ${upTo} together`;
  });
  const doing = runs.length === 0 ? landing.stage.at : `the gates test ${runs.join(' and ')}`;
  return [`It is being landed now, number ${place + 1} of ${landing.cars.length} on the train: ${doing}.`];
}

const PARKED: Readonly<Record<Exclude<ParkReason, 'stopped' | 'discarded'>, string>> = {
  iterations: 'The agent used all its iterations',
  runtime: 'The agent used all its time',
  'no-progress': 'The agent changed nothing for several iterations',
  failures: 'The agent failed several times in a row',
  conflict: 'It does not merge with what landed before it',
  red: 'Its own gates were green, but merged with main they are red, and without it main is green',
  'base-parked': 'It builds on work that was parked',
  broken: 'Something failed that is not its fault',
  reset: 'A person freed it',
  budget: 'Its budget is spent',
  blocked: 'The agent says it needs a person',
  ejected: 'It was taken out of the queue',
  duplicate: 'Its task was done elsewhere meanwhile',
  'pull-request': 'Its pull request needs a person',
  tampered: 'Its agent changed things outside its worktree',
  replaced: 'Another loop replaced it',
  protected: 'A person has to review it before it lands',
  'too-large': 'It adds too much to land without a person',
};

/** What it will run into. */
function meetingsOf(state: State, loop: Loop | null): readonly string[] {
  return loop === null ? [] : foreseenOf(state, loop).map((one) => `It ${describeForeseen(one)}.`);
}

/** How often it was sent back, and whose landed work it did not fit with. */
function reworkOf(state: State, loop: Loop | null): readonly string[] {
  const rework = loop?.rework ?? null;
  const others = (rework?.with ?? loop?.clash?.with ?? []).flatMap((id) => {
    const other = state.loops[id];
    return other === undefined ? [] : [taskIdOf(state, other.task)];
  });
  if (loop === null || loop.phase.at === 'landed' || (rework === null && others.length === 0)) return [];
  const met = others.length === 0 ? [] : [`What landed since it began: ${others.join(', ')}.`];
  if (rework === null || rework.times === 0) return met;
  if (rework.kind === 'review') return [`A person read it and sent it back: ${rework.detail}.`, ...met];
  const times = rework.times === 1 ? 'once' : `${rework.times} times`;
  return [`It was ready and went back to its agent ${times}: ${rework.detail}.`, ...met];
}

/** What a person can do that no command of ours does. */
function byHand({ reason, branch, id }: TaskView, target: string): readonly string[] {
  if (reason !== 'conflict' || branch === null) return [];
  return [`Merge ${target} into ${branch} yourself, then land it: ralph land ${shellWord(id)}.`];
}

function historyOf(loop: Loop | null): readonly string[] {
  if (loop === null || loop.counted === 0 || loop.phase.at === 'landed') return [];
  const failure = loop.lastFailure === null ? '' : ` The last one stopped with an error: ${loop.lastFailure.message}.`;
  const count = howMany(loop.counted, 'iteration');
  return [`Attempt ${loop.attempt} made ${count} on ${loop.branch}.${failure}`];
}

function slipIn(loop: Loop | null): readonly string[] {
  const slips = [loop?.hookSlip, loop?.dropped, loop?.omitted];
  return slips.flatMap((slip) => (slip == null ? [] : [`In its last iteration ${slip}.`]));
}

/** Green in a tree that a gate has changed is green for something else than what lands, so it is worth knowing. */
function alteredBy(loop: Loop | null): readonly string[] {
  const altered = loop?.lastGate?.altered;
  return altered === undefined ? [] : [`Where the gates ran, ${describeAltered(altered)}. None of that lands.`];
}

function troubleOf(state: State, task: TaskView): readonly string[] {
  const { landingTrouble: trouble } = state;
  if (trouble === null || task.state !== 'landing') return [];
  return [`Landing is stopped: ${trouble.detail}${trouble.paths.length === 0 ? '' : `: ${trouble.paths.join(', ')}`}.`];
}

/** A gate that fails without this work is shown without it. */
function mainTrouble({ landingTrouble: trouble }: State, stopped: readonly string[], target: string): string | null {
  if (trouble?.kind !== 'main-red' || stopped.length === 0) return null;
  return inNewWorktree(`refs/paralph/int/${target}`, asGate(trouble.gate?.failing ?? ''));
}

function reproduction(loop: Loop, red: GateReport | null, target: string): string | null {
  const reason = loop.phase.at === 'parked' ? loop.phase.reason : null;
  const main = `refs/paralph/int/${target}`;
  if (reason === 'conflict') return showConflict(target, loop.branch);
  if (red === null) return null;
  if (red.failing === GUARDS.whole) return `git fsck --strict --no-dangling ${shellWord(loop.branch)}`;
  // No shell knows these: what they found is in the words above.
  if (red.failing === GUARDS.markers || red.failing === GUARDS.stray) return null;
  const gate = asGate(red.failing ?? '');
  if (reason === 'red') return inNewWorktree(main, `git merge --no-edit ${shellWord(loop.branch)} && ${gate}`);
  // What its agent has lying about there may turn the same gate green.
  return inNewWorktree(loop.branch, gate);
}
