import { describeAltered } from '../../core/model/altered.ts';
import { describeLeftOut, describeMs, howMany } from '../../core/model/describe-time.ts';
import { WAITS } from '../../core/views/standing.ts';
import { describeRed, lineThatMatters } from '../../core/model/line-that-matters.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { tailLines } from './tail-lines.ts';
import { describeKeeps } from '../../core/model/keeps.ts';
import { describeHold } from '../../core/views/describe-hold.ts';
import { describePutBack } from '../../core/views/describe-put-back.ts';
import { inLocalTime } from '../../world/os/clock.ts';
import type { Event } from '../../core/model/events.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { GateReport, State } from '../../core/model/model.ts';
import type { WorktreeSetup } from '../../core/model/failure.ts';
import type { News } from '../../core/views/news.ts';
import type { Style } from './output.ts';

/** What was run before the agent starts is no part of making the worktree, and takes longer. */
function setupLine(setup: WorktreeSetup | undefined, name: string, style: Style): string | null {
  if (setup === undefined) return null;
  const { commands, durationMs, failed } = setup;
  if (failed === null) return `${name} is set up after ${describeMs(durationMs)}: ${cleanLine(commands.join('; '))}`;
  const why = lineThatMatters(failed.tail);
  return style.yellow(
    `warning: ${name} starts though ${cleanLine(failed.command)} failed after ${describeMs(durationMs)}${why === '' ? '' : `: ${cleanLine(why)}`}; the prompt says so. To use another command: [worktree] setup`,
  );
}

/** One line for a person about what just happened; null: not worth a line. */
export function eventLine(event: Event, state: State, style: Style): string | null {
  const name = (loop: LoopId): string => style.bold(taskName(state, loop));
  switch (event.type) {
    case 'task-claimed':
      return `${name(event.loop)} starts in slot ${event.slot} on ${event.branch}`;
    case 'loop-adopted':
      return `${name(event.loop)} continues in slot ${event.slot}`;
    case 'worktree-made':
      return event.branch === undefined
        ? setupLine(event.setup, name(event.loop), style)
        : `${name(event.loop)} works on ${event.branch}: ralph/${event.loop} is a branch that paralph did not make`;
    case 'worktree-lost':
      // Of a person's checkout it is told that the loop is put aside.
      if (state.loops[event.loop]?.place.at === 'checkout') return null;
      return style.yellow(
        `${name(event.loop)}: its worktree is gone, with its uncommitted changes; it continues in a new one from its last commit on ${state.loops[event.loop]?.branch}`,
      );
    case 'iteration-ended':
      return `${name(event.loop)} iteration ${event.n}: ${describeOutcome(event, state)} after ${describeMs(event.durationMs)}${event.odd === null ? '' : ` (${cleanLine(event.odd)})`}${[event.hookSlip, event.dropped, event.omitted, event.ignored].map((slip) => (slip === undefined ? '' : style.yellow(`; ${cleanLine(slip)}`))).join('')}`;
    case 'loop-progressed':
      return `${name(event.loop)} ${cleanLine(event.text)}`;
    case 'loop-steered':
    case 'loop-reviewed':
      return saidLine(event, name(event.loop), style);
    case 'loop-stopped':
      return state.loops[event.loop]?.stopping === true ? `${name(event.loop)} stops when its iteration ends` : null;
    case 'loop-resumed':
      return `${name(event.loop)} will resume`;
    case 'task-proposed':
      return `${name(event.loop)} proposes a task: ${cleanLine(event.title)}`;
    case 'task-reset':
      return event.landed === undefined
        ? null
        : `${style.bold(cleanLine(taskIdOf(state, event.task)))} is open again: ${state.target ?? 'the branch it landed on'} no longer has what landed as ${event.landed.slice(0, 10)}, or its box was unticked there`;
    case 'claim-lost':
      return style.yellow(`${name(event.loop)} no longer has its task: ${cleanLine(event.why)}`);
    case 'host-ending':
      return style.yellow(`the run has reached its time limit (${event.why}): nothing new starts, loops at work end`);
    case 'loop-released':
      if (event.why === 'stopped') return null;
      return `${name(event.loop)} ${event.why === 'time' ? 'continues with the next run' : `waits: ${WAITS[event.why]}`}`;
    case 'account-resumed':
      return `${cleanLine(event.account)} may be used again`;
    case 'gates-ended':
      return `${name(event.loop)} gates ${verdictLine(event.report, style)}`;
    case 'candidate-tested':
      return event.report.verdict === 'green' && event.report.altered === undefined
        ? null
        : `merged with main the gates are ${verdictLine(event.report, style)}`;
    case 'worktree-kept':
      return `${name(event.loop)} keeps its worktree: ${cleanLine(event.why)}`;
    case 'command-failed':
      return `${event.loop === null ? 'landing' : name(event.loop)} ${style.red('failed')} at ${event.command}: ${cleanLine(event.message)}`;
    case 'published':
      return style.green(`published ${event.to.slice(0, 10)}`);
    case 'publish-blocked':
      return style.yellow(
        `publishing is blocked: ${cleanLine(event.why)}${event.paths.length > 0 ? `: ${cleanLine(event.paths.join(', '))}` : ''}`,
      );
    case 'disk-low':
      return style.yellow(
        `waits for disk space: ${event.freeMb} MB free, ${event.floorMb} MB required; loops at work continue. To free unused worktrees: ralph parallel clean`,
      );
    case 'disk-freed':
      return 'there is disk space again: continuing';
    case 'host-lost':
      return `host ${event.host} is gone; its loops are free`;
    default:
      return integrationLine(event, state, style);
  }
}

/** What a person says to the runs that are alive. */
function runLine(event: Event, style: Style): string | null {
  switch (event.type) {
    case 'run-paused':
      return style.yellow('the run is paused: nothing new starts, loops at work continue. To continue: ralph unpause');
    case 'run-unpaused':
      return 'the run continues';
    case 'workers-set':
      return `at most ${howMany(event.max, 'loop')} at work from now on`;
    default:
      return null;
  }
}

type Said = Extract<Event, { type: 'loop-steered' | 'loop-reviewed' }>;

/** What a person says to a loop, or of its work. */
function saidLine(event: Said, name: string, style: Style): string {
  if (event.type === 'loop-steered') return `${name} gets the message: ${cleanLine(event.text)}`;
  const { verdict, head, comments } = event;
  const on = `at ${head.slice(0, 10)}`;
  if (verdict === 'approved') return `${name} is ${style.green('approved')} ${on}`;
  const [first] = comments;
  const more = comments.length > 1 ? ` (and ${howMany(comments.length - 1, 'more comment')})` : '';
  return `${name} ${on} gets a review: ${cleanLine(first?.text ?? '')}${more}`;
}

/** What was found to be wrong with integration, and what was done about it. */
function integrationLine(event: Event, state: State, style: Style): string | null {
  switch (event.type) {
    case 'integration-unknown':
      return style.yellow(
        `integration holds commits that the log does not know, up to ${event.head.slice(0, 10)}: the gates judge them first`,
      );
    case 'integration-tested':
      return `the gates on these commits are ${verdictLine(event.report, style)}`;
    case 'integration-put-back': {
      const last = state.putBacks.at(-1);
      return last === undefined ? null : style.yellow(cleanLine(describePutBack(last, state.target ?? 'main')));
    }
    case 'keeps-changed': {
      const line = describeKeeps(event);
      return line === null ? null : style.yellow(line);
    }
    case 'train-refs-lost':
      return style.yellow(
        `no ref holds ${event.commits.map((commit) => commit.slice(0, 10)).join(', ')} of the train any more: restored from the log`,
      );
    default:
      return runLine(event, style);
  }
}

function verdictLine(report: GateReport, style: Style): string {
  if (report.isUntested === true) return style.yellow('none are configured');
  const { verdict, altered, leftOut } = report;
  const missed = leftOut === undefined ? '' : `; ${style.yellow(cleanLine(describeLeftOut(leftOut)))}`;
  const told =
    verdict === 'green' ? style.green('green') : `${style.red('red')}: ${cleanLine(describeRed(report))}${missed}`;
  if (altered === undefined) return told;
  return `${told}; ${style.yellow(`${cleanLine(describeAltered(altered))} (none of it lands)`)}`;
}

export function newsLine(news: News, state: State, style: Style): string {
  switch (news.type) {
    case 'loop-ready':
      return `${style.bold(taskName(state, news.loop))} is ready${news.queued ? ' and queued for landing' : ` on ${news.branch}`}${news.detail === undefined ? '' : style.yellow(`: ${cleanLine(news.detail)}`)}`;
    case 'loop-landed':
      return `${style.bold(taskName(state, news.loop))} ${style.green('landed')} as ${news.commit.slice(0, 10)}`;
    case 'loop-parked':
      return `${style.bold(taskName(state, news.loop))} ${style.yellow('parked')} (${news.reason}): ${cleanLine(news.detail)}; kept on ${news.branch}`;
    case 'loop-waits':
      return `${style.bold(taskName(state, news.loop))} changed nothing and waits for ${cleanLine(news.detail)}`;
    case 'loop-returned':
      return `${style.bold(taskName(state, news.loop))} goes ${style.yellow('back to work')}: ${cleanLine(news.detail)}`;
    case 'tasks-changed': {
      const parts = [...news.added.map((id) => `${id} is new`), ...news.removed.map((id) => `${id} was removed`)];
      return `${news.tracker} changed${parts.length === 0 ? '' : `: ${cleanLine(parts.join(', '))}`}`;
    }
    case 'account-held':
      return style.yellow(`${cleanLine(news.account)} is held: ${inLocalTime(cleanLine(describeHold(news.hold)))}`);
    case 'run-overspent':
      return style.yellow(`the run's budget is spent (${news.spent}): nothing new starts, what is done still lands`);
    case 'reviews-full':
      return style.yellow(
        `${howMany(news.waiting, 'loop')} ${news.waiting === 1 ? 'waits' : 'wait'} for a review, and at most ${news.max} may (landing.max_waiting): nothing new starts. Read them: ralph review`,
      );
    case 'base-red':
      return baseRedLine(news, state, style);
    case 'base-green':
      return style.green(`${news.target} passes its gates: waiting tasks continue`);
    case 'landing-stopped':
      return style.red(
        `landing is stopped: ${cleanLine(news.detail)}${news.paths.length > 0 ? `: ${cleanLine(news.paths.join(', '))}` : ''}`,
      );
  }
}

function baseRedLine(news: Extract<News, { type: 'base-red' }>, state: State, style: Style): string {
  const { target, commit, gate, likely, loop, anyway } = news;
  const meanwhile = anyway
    ? `every task starts all the same (--anyway)`
    : loop === null
      ? `nothing starts until ${target} is green`
      : `only ${style.bold(taskName(state, loop))} continues, and its prompt says so; nothing else starts until ${target} is green. To start all: ralph run --anyway`;
  return [
    style.red(`${target} itself fails its gates (${commit.slice(0, 10)}): ${cleanLine(describeRed(gate))}`),
    ...tailLines(gate.tail),
    ...likely.map((one) => style.yellow(`  likely cause: ${cleanLine(one)}`)),
    `  ${meanwhile}`,
  ].join('\n');
}

function describeOutcome(event: Extract<Event, { type: 'iteration-ended' }>, state: State): string {
  switch (event.outcome) {
    case 'claimed':
      return 'says it is done';
    case 'worked':
      return state.loops[event.loop]?.doneSaid === event.n ? 'says it is done' : 'not done yet';
    case 'failed':
      return event.failure === null
        ? `failed: ${cleanLine(event.agent)} exited with ${event.exit ?? '?'}`
        : `failed: ${cleanLine(`${event.agent}: ${event.failure.message}`)}`;
    case 'stalled':
      return `stopped: ${cleanLine(event.failure?.message ?? 'it said nothing')}`;
    case 'limited':
      return 'hit the usage limit';
    case 'throttled':
      return 'was turned away: too many requests';
    case 'refused':
      return event.failure?.kind === 'missing'
        ? `cannot be started: ${cleanLine(event.failure.message)}`
        : 'is not logged in';
    case 'timed-out':
      return 'stopped by its runtime limit';
    case 'interrupted':
      return 'interrupted';
    case 'lost':
      return 'vanished';
  }
}

function taskName(state: State, loop: LoopId): string {
  const known = state.loops[loop];
  return known == null ? loop : cleanLine(taskIdOf(state, known.task));
}
