import { setMaxListeners } from 'node:events';
import { describeChangedGates } from '../../../core/model/changed-gates.ts';
import type { Event } from '../../../core/model/events.ts';
import type { HostPolicy, State } from '../../../core/model/model.ts';
import { describeWaiting } from '../../../core/views/describe-waiting.ts';
import { isOfAnother } from '../../../core/views/other-tracker.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { fold } from '../../../core/fold/fold.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { runHost } from '../../../engine/host.ts';
import type { OnRecord } from '../../../engine/journal.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { clockTime } from '../../../world/os/clock.ts';
import type { FactsAbout } from '../../tui/facts.ts';
import type { PinnedRun } from '../../tui/pin-run.ts';
import { hearWaits } from '../../../world/processes/mutex-waits.ts';
import type { World } from '../../../world/contract/world.ts';
import type { Call } from '../../call/handler.ts';
import { tellEach, tellLines } from '../../call/tell-lines.ts';
import { openNotifier } from './notify.ts';
import { runEnd } from './run-end.ts';
import { openLongTelling } from '../show/say-long.ts';
import { keepAsking, mayFetch, sayUpstream } from '../show/say-upstream.ts';
import { tellLoopLogs } from '../../call/tell-loop-logs.ts';
import { trimSpare } from './trim-spare.ts';
import { AppError } from '../../../core/model/errors.ts';
import { setSince } from '../../../world/git/run/trusted-folder.ts';

export interface Drive {
  readonly world: World;
  readonly policy: HostPolicy;
  readonly settings: Settings;
  readonly opening: (state: State) => readonly Event[];
  /** Asking the remote takes a while: what the opening is made of is read again then. */
  readonly readAgain?: () => Promise<void>;
}

export interface Driven {
  /** What was so when it joined. */
  readonly before: State;
  readonly state: State;
  readonly settings: Settings;
  /** The signal that ended it; null: it came to its own end. */
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | null;
  /** The flag by which its time was over while it worked; null: it was not. */
  readonly over: string | null;
}

/** Time to say what went wrong. */
const LAST_WORDS_MS = 500;

/** Runs a host under this terminal: live lines, and Ctrl-C once to stop in order, twice to kill. */
export async function driveHost(call: Call, drive: Drive): Promise<Driven> {
  const signals = hearSignals(call, drive.settings);
  const { drain, force } = signals;
  const onWarning = (text: string): void => call.out.say(call.out.style.yellow(`warning: ${text}`));
  const end = runEnd(call, drive.world.clock);
  let over: string | null = null;
  let before: State | null = null;
  const sayChangedGates = changedGatesOnce(drive.settings.gates.commands, onWarning);
  hearWaits({ tell: onWarning, drain, force });
  call.out.goOnUnheard();
  const { onRecord, notifier, stopTelling } = await openTelling(call, drive);
  const asking = new AbortController();
  try {
    const { slots, target } = drive.policy;
    // Who only lands claims nothing.
    if (slots > 0 && mayFetch(call, drive.settings)) {
      await sayUpstream(call, target, drain);
      await drive.readAgain?.();
      void keepAsking(call, { target, clock: drive.world.clock, signal: asking.signal });
    }
    const state = await runHost(drive.world, {
      policy: { ...drive.policy, gatesHash: `${drive.policy.gatesHash}-${drive.world.provided}` },
      completion: { signal: drive.settings.completionSignal, promise: drive.settings.completionPromise },
      gateCommands: drive.settings.gates.commands,
      protect: drive.settings.landing.protect,
      needs: drive.settings.completionFile,
      landing: drive.settings.landing,
      pull: drive.settings.forge.pull,
      opening: (now) => {
        // Who loses a race for the next place in the log is asked again.
        if (before === null) sayFull(call, now, drive);
        before ??= now;
        sayChangedGates(now);
        return drive.opening(now);
      },
      over: () => (over ??= end()),
      drain,
      force,
      onRecord,
      onWarning,
    });
    await stopTelling();
    await notifier?.finish(before ?? state, state, signals.heard() !== null);
    await sayWhatWasSet(call);
    await trimSpare(call, drive);
    return { before: before ?? state, state, settings: drive.settings, signal: signals.heard(), over };
  } catch (error) {
    // The next host takes over what runs; waiting for it here would keep a process nobody listens to.
    if (call.signal === undefined) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
    throw error;
  } finally {
    asking.abort();
    await stopTelling();
    signals.stop();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Signals {
  /** Aborted by the first: stop in order. */
  readonly drain: AbortSignal;
  /** Aborted by the second: kill at once. */
  readonly force: AbortSignal;
  /** The first of them; null: none came. */
  readonly heard: () => Driven['signal'];
  readonly stop: () => void;
}

function hearSignals(call: Call, { onHangup }: Settings): Signals {
  const drain = new AbortController();
  const force = new AbortController();
  // Every loop listens to them while it works, and there may be hundreds.
  setMaxListeners(0, drain.signal, force.signal);
  let heard: Driven['signal'] = null;
  const onSignal = (name: (typeof SIGNALS)[number]): void => {
    if (name === 'SIGHUP' && onHangup === 'detach') return;
    if (heard !== null) {
      call.out.say('killing what still runs');
      return force.abort();
    }
    heard = name;
    call.out.say('stopping: no new work, agents are asked to end; press Ctrl-C again to kill them');
    if (name === 'SIGHUP') call.out.say('to keep a run alive without its terminal: ralph run --detach');
    drain.abort(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const onTakenBack = (): void => onSignal('SIGTERM');
  call.signal?.addEventListener('abort', onTakenBack, { once: true });
  const stop = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    call.signal?.removeEventListener('abort', onTakenBack);
  };
  return { drain: drain.signal, force: force.signal, heard: () => heard, stop };
}

/** A run that has nothing to do yet because of others must not look as if it hung. */
function sayFull({ out }: Call, now: State, { policy, opening }: Drive): void {
  const opened = fold(now, { seq: now.seq, at: 0, by: 'reader', events: opening(now) });
  const { starts, adopts, waits } = planRun(opened, policy);
  const full = waits.find(({ waiting }) => waiting.why === 'workers');
  if (starts.length + adopts.length === 0 && full !== undefined) out.say(describeWaiting(full.waiting));
}

/** Whoever sits at the terminal, reads the workers' logs, or looks elsewhere. */
async function openTelling(call: Call, { world, policy, settings }: Drive) {
  const repo = findRepository(call.cwd);
  const { tracker, target } = policy;
  const about = { tracker, target, policy, attempts: settings.limits.attempts, limits: settings.project };
  // Who only lands has soon done so.
  const pinned = policy.slots === 0 ? null : await pinIfTerminal(call, repo, about);
  const { own } = world.hosts;
  const tellPerson =
    call.flags['events'] === true ? eventStream(call, tracker) : liveLines(call, tracker, pinned !== null);
  // Who only lands has a person beside it.
  const notifier = policy.slots === 0 ? null : openNotifier(call, { repo, settings, own });
  const long = call.flags['events'] === true ? null : openLongTelling(timed(call, pinned !== null), own);
  const onRecord: OnRecord = (record, was, is) => {
    tellLoopLogs(repo, own, record, was, is);
    tellPerson(record, was, is);
    pinned?.onRecord(record, is);
    notifier?.onRecord(record, was, is);
    long?.look(is);
  };
  const stopTelling = async (): Promise<void> => {
    long?.stop();
    await pinned?.stop();
  };
  return { onRecord, notifier, stopTelling };
}

/** What draws is loaded only where there is something to draw on. */
async function pinIfTerminal(call: Call, ...where: [Repository, FactsAbout]): Promise<PinnedRun | null> {
  if (!process.stderr.isTTY) return null;
  const { pinRun } = await import('../../tui/pin-run.ts');
  return pinRun(call, ...where);
}

/** A person who looks now and then wants to know when it was. */
function liveLines(call: Call, tracker: string, isTimed: boolean): OnRecord {
  return tellLines(tracker, call.out.style, timed(call, isTimed));
}

function timed({ out }: Call, isTimed: boolean): (line: string, atMs?: number) => void {
  return (line, atMs = Date.now()) => out.say(isTimed ? `${out.style.dim(clockTime(atMs))} ${line}` : line);
}

/** One JSON object a line: the facts of the log, each followed by what it made of a loop. */
function eventStream(call: Call, tracker: string): OnRecord {
  return (record, before) =>
    tellEach(record, before, (event, state) => {
      if (isOfAnother(event, state, tracker)) return;
      const { seq, at, by } = record;
      call.out.event({ seq, at, by, ...event });
    });
}

/** What the gates were in the last run, where they are others now; the log may be asked more than once. */
function changedGatesOnce(commands: readonly string[], onWarning: (text: string) => void): (state: State) => void {
  let isTold = false;
  return ({ gates }) => {
    const line = isTold ? null : describeChangedGates(gates, commands);
    isTold = true;
    if (line !== null) onWarning(cleanLine(line));
  };
}

/** At the end of a run: what would make gates see other files than are committed, from the next run on, unless somebody looks at it. */
async function sayWhatWasSet(call: Call): Promise<void> {
  try {
    const found = await setSince(findRepository(call.cwd).commonDir);
    if (found.length === 0) return;
    const what = `set while agents were at work, by whom is not known, and in force from the next run on: ${found.join(', ')}`;
    call.out.say(call.out.style.yellow(`warning: ${cleanLine(what)} (git config --show-origin --list)`));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
