import type { LoopId } from '../../src/core/model/ids.ts';
import { hostId } from '../../src/core/model/ids.ts';
import type { Loop, ParkReason, State } from '../../src/core/model/model.ts';
import { task, tellTale } from './tale.ts';

/** Every reason there is: the compiler refuses a list that lacks one. */
const REASONS: Readonly<Record<ParkReason, true>> = {
  iterations: true,
  runtime: true,
  'no-progress': true,
  failures: true,
  conflict: true,
  red: true,
  'base-parked': true,
  broken: true,
  reset: true,
  budget: true,
  blocked: true,
  protected: true,
  'too-large': true,
  ejected: true,
  tampered: true,
  duplicate: true,
  discarded: true,
  replaced: true,
  'pull-request': true,
  stopped: true,
};

const PARK_REASONS = Object.keys(REASONS) as readonly ParkReason[];

export interface StandingCase {
  readonly name: string;
  readonly state: State;
  readonly loop: Loop;
}

/** A state for whatever a loop can be at: one task `a`, with one loop. */
export function standingCases(): readonly StandingCase[] {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'));
  const id = tale.begin('a');
  const begun = tale.state();
  const working = tale.loop(id);
  tale.iterate(id, 'claimed', 'new');
  const gating = tale.loop(id);
  tale.gate(id, { verdict: 'green', failing: null, tail: '' });
  const queued = tale.state();
  const ready = tale.loop(id);
  tale.startLanding();
  tale.build([[id, 'l']]);
  const aboard = tale.state();
  const landed = landedState();
  const patched = (name: string, state: State, change: Partial<Loop>): StandingCase => {
    const loop = { ...(state.loops[id] ?? ready), ...change };
    return { name, loop, state: { ...state, loops: { ...state.loops, [id]: loop } } };
  };
  const free = { host: null };
  const [host] = Object.values(begun.hosts);
  const suspended = host === undefined ? {} : { [host.id]: { ...host, state: 'stopped' as const } };
  const besides = { count: 1, commits: ['1a2b3c4d5e Begin'] };
  const notQueued: Partial<Loop> = { phase: { at: 'ready', queued: false, readySeq: 1 } };
  return [
    patched('at work, preparing', begun, { phase: { at: 'preparing' } }),
    patched('at work, iterating', begun, {}),
    patched('at work, gating', begun, { phase: gating.phase }),
    patched('at work, updating', begun, { phase: { at: 'updating', n: 1 } }),
    patched('at work, and it is to stop', begun, { stopping: true }),
    ...(['auth', 'budget', 'limit', 'base'] as const).map((waitsFor) =>
      patched(`waiting, ${waitsFor}`, begun, { ...free, waitsFor }),
    ),
    patched('stopped, its host stopped', begun, free),
    patched('stopped, its host died', begun, { ...free, hostDied: true }),
    patched('stopped, suspended', { ...begun, hosts: suspended }, {}),
    patched('ready', queued, notQueued),
    patched('ready, with more on its branch', queued, { ...notQueued, besides }),
    patched('landing, queued', queued, {}),
    patched('landing, on the train', aboard, {}),
    patched('landed', landed, {}),
    ...PARK_REASONS.map((reason) =>
      patched(`parked, ${reason}`, queued, {
        phase: { at: 'parked', reason, detail: `why it is ${reason}`, paths: [] },
      }),
    ),
    { name: 'taken out of the list', ...withdrawn(queued, working.id) },
  ];
}

function landedState(): State {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'));
  tale.land(tale.ready('a'));
  return tale.state();
}

function withdrawn(state: State, id: LoopId): Pick<StandingCase, 'state' | 'loop'> {
  const [tracker] = Object.entries(state.trackers);
  const loop = state.loops[id];
  if (tracker === undefined || loop === undefined) throw new Error(`no loop ${id} of ${hostId('h1')}`);
  const [path, read] = tracker;
  return { loop, state: { ...state, trackers: { [path]: { ...read, tasks: [] } } } };
}
