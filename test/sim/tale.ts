import type { Event, IterationOutcome } from '../../src/core/model/events.ts';
import type { LoopId } from '../../src/core/model/ids.ts';
import { hostId, loopId, sha, taskId, taskKey } from '../../src/core/model/ids.ts';
import type { Car, GateReport, HostPolicy, Loop, State, TrainPolicy } from '../../src/core/model/model.ts';
import { EMPTY_STATE } from '../../src/core/model/model.ts';
import type { LimitSettings } from '../../src/core/model/settings.ts';
import type { Task } from '../../src/core/model/task.ts';
import type { Facts } from '../../src/core/fold/fold.ts';
import { fold } from '../../src/core/fold/fold.ts';
import type { Usage } from '../../src/core/model/usage.ts';
import { NO_USAGE } from '../../src/core/model/usage.ts';

export const TRACKER = 'PRD.md';
export const key = (id: string) => taskKey(TRACKER, taskId(id));

export const LIMITS: LimitSettings = {
  iterations: 5,
  runtimeMs: 60_000,
  noProgress: 2,
  attempts: 1,
  consecutiveFailures: 2,
  graceMs: 100,
  maxCostUsd: null,
  maxTokens: null,
  freeMb: 0,
};

export const TRAIN: TrainPolicy = {
  gateSlots: 1,
  cores: 2,
  flakeRetries: 0,
  onConflict: 'stop',
  maxAttempts: 2,
};

export const POLICY: HostPolicy = {
  tracker: TRACKER,
  slots: 2,
  strategy: 'queue',
  mergePolicy: 'auto_merge',
  limits: LIMITS,
  target: 'main',
  place: { at: 'worktree' },
  only: null,
  publish: 'end',
  method: 'merge',
  agents: [{ name: 'scripted', account: 'scripted' }],
  budget: { maxCostUsd: null, maxTokens: null },
  resolver: null,
  gatesHash: 'g',
  hasGates: true,
  base: 'off',
  gateTimeoutAuto: false,
  train: TRAIN,
};

export function task(
  id: string,
  more: Partial<Omit<Task, 'id' | 'deps'>> & { readonly deps?: readonly string[] } = {},
): Task {
  return {
    title: `Do ${id}`,
    body: '',
    acceptance: [],
    group: null,
    priority: null,
    status: 'open',
    blockedReason: null,
    line: 1,
    ...more,
    id: taskId(id),
    deps: (more.deps ?? []).map(taskId),
  };
}

export const GREEN: GateReport = { verdict: 'green', failing: null, tail: '' };
export const RED: GateReport = { verdict: 'red', failing: 'npm test', tail: 'one failed' };

type Ended = Extract<Event, { type: 'iteration-ended' }>;
type Built = Extract<Event, { type: 'train-built' }>;

/** What an iteration is said to have cost. */
export const spent = (costUsd: number | null, tokens = 0): Usage => ({
  ...NO_USAGE,
  inputTokens: tokens,
  costUsd,
  costKind: costUsd === null ? null : 'billed',
});

const EXITS: Partial<Record<IterationOutcome, number>> = { claimed: 0, worked: 0, failed: 3 };

/** A log written by hand, one record per call, and the state it folds to. */
export interface Tale {
  readonly state: () => State;
  readonly write: (...events: readonly Event[]) => State;
  readonly join: (host: string, policy?: Partial<HostPolicy>) => State;
  readonly read: (...tasks: readonly Task[]) => State;
  readonly loop: (id: LoopId) => Loop;
  /** Starts a loop and its worktree; the answer is its id. */
  readonly begin: (
    task: string,
    more?: { readonly host?: string; readonly slot?: number; readonly onto?: readonly LoopId[] },
  ) => LoopId;
  readonly iterate: (
    loop: LoopId,
    outcome: IterationOutcome,
    tree?: string,
    durationMs?: number,
    more?: Partial<Ended>,
  ) => Loop;
  readonly gate: (loop: LoopId, report: GateReport, touched?: readonly string[], changed?: readonly string[]) => Loop;
  /** A whole loop, up to green gates. */
  readonly ready: (task: string, more?: Parameters<Tale['begin']>[1]) => LoopId;
  readonly startLanding: (host?: string) => number;
  /** The queue merged as the train that is being built asks for; a name stands for a commit and its tree. */
  readonly build: (cars: readonly (readonly [LoopId | null, string])[], more?: Partial<Built>) => State;
  /** The gates on a tree of the train. */
  readonly test: (tree: string, report?: GateReport) => State;
  readonly advance: (commit: string) => State;
  readonly sendBack: (loop: LoopId, host?: string) => Loop;
  /** Main is in the loop's worktree. */
  readonly mergeMain: (loop: LoopId, conflicts?: readonly string[]) => Loop;
  /** Found to have landed, so that integration is there. */
  readonly land: (loop: LoopId, commit?: string) => State;
}

export function tellTale(onRecord: (record: Facts) => void = () => {}, by = 'tale'): Tale {
  let state = EMPTY_STATE;
  const write: Tale['write'] = (...events) => {
    const record = { seq: state.seq + 1, at: (state.seq + 1) * 1000, by, events };
    onRecord(record);
    state = fold(state, record);
    return state;
  };
  const loop: Tale['loop'] = (id) => {
    const found = state.loops[id];
    if (found === undefined) throw new Error(`the tale has no loop ${id}`);
    return found;
  };
  const begin: Tale['begin'] = (name, { host = 'h1', slot = 1, onto = [] } = {}) => {
    const id = loopId(`${name}-${Object.keys(state.loops).length + 1}`);
    write({ type: 'task-claimed', loop: id, task: key(name), host: hostId(host), slot, branch: `ralph/${id}`, onto });
    const base = { base: sha('base'), baseTree: sha('base-tree'), head: sha('base'), tree: sha('base-tree') };
    const { fence } = loop(id);
    write({ type: 'worktree-made', loop: id, fence, path: `/w/${id}`, ...base, reused: false });
    return id;
  };
  const iterate: Tale['iterate'] = (id, outcome, tree = loop(id).tree ?? '', durationMs = 1000, more = {}) => {
    const { fence, iteration } = loop(id);
    const ended: Ended = {
      type: 'iteration-ended',
      loop: id,
      fence,
      n: iteration + 1,
      outcome,
      head: sha(`head-${tree}`),
      tree: sha(tree),
      durationMs,
      said: 'so',
      exit: EXITS[outcome] ?? null,
      agent: 'scripted',
      account: 'scripted',
      usage: NO_USAGE,
      failure: null,
      hold: null,
      guided: 0,
      swept: 0,
      odd: null,
      breach: null,
      ...more,
    };
    write(ended);
    return loop(id);
  };
  const gate: Tale['gate'] = (id, report, touched = [], changed = []) => {
    const { fence, iteration, head, tree } = loop(id);
    const ended = { loop: id, fence, n: iteration, head: head ?? sha(''), tree: tree ?? sha('') };
    const seen = { tested: ended.tree, report, durationMs: 10, protected: touched, changed };
    write({ type: 'gates-ended', ...ended, ...seen });
    return loop(id);
  };
  return {
    state: () => state,
    write,
    loop,
    begin,
    iterate,
    gate,
    join: (host, policy = {}) =>
      write({
        type: 'host-joined',
        host: hostId(host),
        mark: { pid: 1, startTime: '1', bootId: 'b' },
        policy: { ...POLICY, ...policy },
      }),
    read: (...tasks) => write({ type: 'tasks-read', tracker: TRACKER, digest: String(state.seq), tasks }),
    ready: (name, more = {}) => {
      const id = begin(name, more);
      iterate(id, 'claimed', `tree-of-${id}`);
      gate(id, GREEN);
      return id;
    },
    ...landings({ state: () => state, write, loop }),
  };
}

type Landings = Pick<Tale, 'startLanding' | 'build' | 'test' | 'advance' | 'sendBack' | 'mergeMain' | 'land'>;

function landings({ state, write, loop }: Pick<Tale, 'state' | 'write' | 'loop'>): Landings {
  const startLanding: Tale['startLanding'] = (host = 'h1') =>
    write({ type: 'landing-started', host: hostId(host) }).seq;
  const underWay = (): { readonly fence: number; readonly build: number } => {
    const { landing } = state();
    if (landing === null) throw new Error('the tale has no landing');
    return landing;
  };
  const build: Tale['build'] = (cars, more = {}) => {
    const { fence, build: nth } = underWay();
    const made = cars.map(([id, name]): Car => {
      const head = id === null ? sha('upstream') : (loop(id).head ?? sha(''));
      return { loop: id, head, commit: sha(name), tree: sha(`${name}-tree`) };
    });
    const on = { base: sha('main'), baseTree: sha('main-tree') };
    const rest = { clashes: [], contained: [], implied: [], broken: [] };
    return write({ type: 'train-built', fence, build: nth, ...on, cars: made, ...rest, ...more });
  };
  return {
    startLanding,
    build,
    test: (tree, report = GREEN) => {
      const again = state().landing?.runs.find((run) => run.tree === tree)?.again ?? 0;
      const { fence } = underWay();
      return write({ type: 'candidate-tested', fence, tree: sha(tree), again, report, durationMs: 1 });
    },
    advance: (commit) => write({ type: 'integration-advanced', fence: underWay().fence, commit: sha(commit) }),
    sendBack: (id, host = 'h1') => {
      write({ type: 'loop-sent-back', loop: id, host: hostId(host) });
      return loop(id);
    },
    mergeMain: (id, conflicts = []) => {
      const { fence, iteration, head } = loop(id);
      const made = { base: sha('main'), baseTree: sha('main-tree'), before: head ?? sha(''), conflicts };
      const merged = { head: sha(`merged-${id}`), tree: sha(`merged-tree-${id}`) };
      write({ type: 'main-merged', loop: id, fence, n: iteration + 1, ...made, ...merged });
      return loop(id);
    },
    land: (id, commit = 'c') => {
      startLanding();
      return build([], { base: sha(commit), users: true, contained: [{ loop: id, commit: sha(commit) }] });
    },
  };
}
