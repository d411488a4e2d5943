import { setMaxListeners } from 'node:events';
import { describeChangedGates } from '../../core/changed-gates.ts';
import type { Event } from '../../core/events.ts';
import type { HostPolicy, State } from '../../core/model.ts';
import type { News } from '../../core/news.ts';
import { NEWS_TYPES, newsBetween } from '../../core/news.ts';
import { isOfAnother } from '../../core/of-another.ts';
import type { Settings } from '../../core/settings.ts';
import type { Facts } from '../../core/step.ts';
import { fold } from '../../core/step.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { runHost } from '../../engine/host.ts';
import type { OnRecord } from '../../engine/journal.ts';
import { findRepository } from '../../world/git/repository.ts';
import { openMemories } from '../../world/memories.ts';
import { hearWaits } from '../../world/mutex-listener.ts';
import type { World } from '../../world/world.ts';
import type { Call } from './handler.ts';
import { eventLine, newsLine } from './live-lines.ts';
import { keepAsking, mayFetch, sayUpstream } from './say-upstream.ts';
import { toldBefore } from './told-before.ts';

export interface Drive {
  readonly world: World;
  readonly policy: HostPolicy;
  readonly settings: Settings;
  readonly opening: (state: State) => readonly Event[];
}

export interface Driven {
  readonly state: State;
  /** The signal that ended it; null: it came to its own end. */
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | null;
}

/** Time to say what went wrong. */
const LAST_WORDS_MS = 500;

/** Runs a host under this terminal: live lines, and Ctrl-C once to stop in order, twice to kill. */
export async function driveHost(call: Call, drive: Drive): Promise<Driven> {
  const drain = new AbortController();
  const force = new AbortController();
  // Every loop listens to them while it works, and there may be hundreds.
  setMaxListeners(0, drain.signal, force.signal);
  let signal: Driven['signal'] = null;
  const onSignal = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    if (signal !== null) {
      call.out.say('killing what still runs');
      return force.abort();
    }
    signal = name;
    call.out.say('stopping: no new work, agents are asked to end; once more kills them');
    drain.abort(name);
  };
  const onWarning = (text: string): void => call.out.say(call.out.style.yellow(`warning: ${text}`));
  let areGatesTold = false;
  const sayChangedGates = ({ gates }: State): void => {
    // Who loses a race for the next place in the log is asked again.
    const line = areGatesTold ? null : describeChangedGates(gates, drive.settings.gates.commands);
    areGatesTold = true;
    if (line !== null) onWarning(cleanLine(line));
  };
  hearWaits({ tell: onWarning, drain: drain.signal, force: force.signal });
  call.out.goOnUnheard();
  // Before the first prompt is built, so that people hear what of theirs was taken up.
  openMemories(findRepository(call.cwd), (text) => call.out.say(text)).list();
  const asking = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  try {
    const { slots, target, tracker } = drive.policy;
    // Who only lands claims nothing.
    if (slots > 0 && mayFetch(call, drive.settings)) {
      await sayUpstream(call, target, drain.signal);
      void keepAsking(call, { target, clock: drive.world.clock, signal: asking.signal });
    }
    const state = await runHost(drive.world, {
      policy: { ...drive.policy, gatesHash: `${drive.policy.gatesHash}-${drive.world.provided}` },
      completion: { signal: drive.settings.completionSignal, promise: drive.settings.completionPromise },
      gateCommands: drive.settings.gates.commands,
      protect: drive.settings.landing.protect,
      landing: drive.settings.landing,
      opening: (state) => {
        sayChangedGates(state);
        return drive.opening(state);
      },
      drain: drain.signal,
      force: force.signal,
      onRecord: call.flags['events'] === true ? eventStream(call, tracker) : liveLines(call, tracker),
      onWarning,
    });
    return { state, signal };
  } catch (error) {
    // The next host takes over what runs; waiting for it here would keep a process nobody listens to.
    setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
    throw error;
  } finally {
    asking.abort();
    for (const name of names) process.removeListener(name, onSignal);
  }
}

function liveLines(call: Call, tracker: string): OnRecord {
  const { style } = call.out;
  const isTold = toldBefore();
  return (record, before) =>
    tell(record, before, (event, state) => {
      if (isOfAnother(event, state, tracker) || isTold(event)) return;
      const line = isNews(event) ? newsLine(event, state, style) : eventLine(event, state, style);
      if (line !== null) call.out.say(line);
    });
}

/** One JSON object a line: the facts of the log, each followed by what it made of a loop. */
function eventStream(call: Call, tracker: string): OnRecord {
  return (record, before) =>
    tell(record, before, (event, state) => {
      if (isOfAnother(event, state, tracker)) return;
      const { seq, at, by } = record;
      call.out.data(JSON.stringify({ seq, at, by, ...event }));
    });
}

/** A record may hold several facts: what came of the first is told before the second. */
function tell(record: Facts, before: State, on: (event: Event | News, state: State) => void): void {
  let state = before;
  for (const event of record.events) {
    const next = fold(state, { ...record, events: [event] });
    on(event, next);
    for (const news of newsBetween(state, next)) on(news, next);
    state = next;
  }
}

const isNews = (event: Event | News): event is News => NEWS_TYPES.has(event.type);
