import { taskId } from '../../../src/core/model/ids.ts';
import type { HostPolicy } from '../../../src/core/model/model.ts';
import type { Task } from '../../../src/core/model/task.ts';
import type { Random } from './random.ts';

/** What one seed is about: the tasks, how hosts are told to work, how bad the agents and the world are. */
export interface Scenario {
  readonly tasks: readonly Task[];
  /** Many small tasks, and a queue that a person holds until many of them are ready. */
  readonly isCrowd: boolean;
  /** What each task cannot be done without, of which no list tells; absent: nothing is hidden. */
  readonly hidden?: Readonly<Record<string, readonly string[]>>;
  /** A backlog of its own: what each task needs and what spoils it; absent: none. */
  readonly history?: HistoryHabits;
  readonly hosts: number;
  readonly policy: Omit<HostPolicy, 'slots'>;
  /** The first task landed in an earlier life, of which no log tells. */
  readonly past: 'published' | 'landed' | 'red' | null;
  /** The user works on the same files as the agents, whose landings wait to be published. */
  readonly isUserBusy: boolean;
  /** Main fails the gates before anybody has done anything. */
  readonly isRedAtFirst: boolean;
  /** The tracker file is committed, so a landing ticks the task in its tree. */
  readonly tracked: boolean;
  /** Chance of a hostile act at each moment. */
  readonly hostility: number;
  /** How many moments the hostility lasts. */
  readonly hostileMoments: number;
  readonly agents: AgentHabits;
  /** Paths that land only when a person says so. */
  readonly protect: readonly string[];
  readonly flakes: number;
  /** Chance that a command of the world fails. */
  readonly faults: number;
}

export interface HistoryHabits {
  readonly callMeanMs: number;
  /** Whether agents name what they lack: never, every second time rightly, or always rightly. */
  readonly names: 'never' | 'half' | 'always';
  readonly needs: Readonly<Record<string, readonly string[]>>;
  readonly spoils: Readonly<Record<string, readonly string[]>>;
}

export interface AgentHabits {
  readonly failing: number;
  readonly idle: number;
  readonly hanging: number;
  readonly bad: number;
  readonly unfinished: number;
  /** Says by a verb what it does, finds, or cannot do. */
  readonly speaking: number;
  readonly stalling: number;
  /** Takes away the conflict markers it finds. */
  readonly mending: number;
  /** Merges another loop's branch into its own. */
  readonly stacking: number;
  /** Chances that the account behind it has enough of it. */
  readonly limits: number;
  readonly rates: number;
  readonly logouts: number;
  readonly warnings: number;
  /** Chance that it did something outside its worktree. */
  readonly straying: number;
}

/** One agent, two with an account each, or two that share one. */
const AGENTS = [
  [{ name: 'ann', account: 'a' }],
  [
    { name: 'ann', account: 'a' },
    { name: 'bob', account: 'b' },
  ],
  [
    { name: 'ann', account: 'shared' },
    { name: 'bob', account: 'shared' },
  ],
] as const;

const GROUPS = [null, null, 'auth', 'ui'] as const;

export function createTask(random: Random, name: string, earlier: readonly Task[]): Task {
  const deps = earlier.filter(() => random.chance(0.2)).map((task) => task.id);
  return {
    id: taskId(name),
    title: `Do ${name}`,
    body: '',
    acceptance: [],
    group: random.pick(GROUPS),
    deps: deps.slice(0, 2),
    priority: random.chance(0.3) ? random.between(1, 3) : null,
    status: 'open',
    blockedReason: null,
    line: earlier.length + 1,
  };
}

/** Each may need others that nobody wrote down, mostly earlier ones. */
function hide(random: Random, tasks: readonly Task[]): Pick<Scenario, 'hidden'> {
  const needs = tasks.map(({ id }, at) => {
    const others = tasks.filter((_, other) => (other < at ? random.chance(0.5) : other > at && random.chance(0.1)));
    return [id, others.map((other) => other.id).slice(0, 2)] as const;
  });
  return { hidden: Object.fromEntries(needs) };
}

/** Only a long train with room for it is tested in two places at once. */
function createTrainPolicy(random: Random, isCrowd: boolean): Pick<HostPolicy, 'train' | 'resolver'> {
  const onConflict = random.pick(['requeue', 'requeue', 'ai_resolve', 'stop'] as const);
  return {
    resolver: onConflict === 'ai_resolve' && random.chance(0.6) ? { name: 'rex', account: 'r' } : null,
    train: {
      gateSlots: random.pick(['auto', isCrowd ? 4 : 1, isCrowd ? 3 : 1, 2, 3]),
      cores: random.pick([1, 2, 8]),
      flakeRetries: random.pick(['auto', 0, 1]),
      onConflict,
      maxAttempts: random.between(0, 3),
    },
  };
}

export function createScenario(random: Random): Scenario {
  const tasks: Task[] = [];
  const isCrowd = random.chance(0.12);
  for (let count = isCrowd ? random.between(6, 8) : random.between(2, 5); count > 0; count -= 1) {
    const task = createTask(random, `t${tasks.length}`, tasks);
    tasks.push(isCrowd ? { ...task, group: null, deps: [] } : task);
  }
  const hidden = random.chance(0.25) ? hide(random, tasks) : {};
  const quiet = random.chance(0.05);
  const isUserBusy = random.chance(0.2);
  return {
    tasks,
    isCrowd,
    ...hidden,
    hosts: isCrowd ? 2 : random.between(1, 3),
    policy: {
      tracker: 'PRD.md',
      // Narrower than two hosts together in some worlds.
      maxWorkers: isCrowd || tasks.length !== 3 ? 9 : 2,
      strategy: isCrowd || random.chance(0.7) ? 'queue' : 'group',
      mergePolicy: isCrowd || random.chance(0.6) ? 'auto_merge' : 'manual',
      ...(random.chance(0.15) ? { maxWaiting: random.between(1, 3) } : {}),
      limits: {
        iterations: random.between(2, 5),
        runtimeMs: random.between(2000, 8000),
        noProgress: random.between(1, 3),
        attempts: random.between(1, 2),
        consecutiveFailures: random.between(1, 3),
        graceMs: 100,
        maxCostUsd: random.pick([null, null, null, 1]),
        maxTokens: random.pick([null, null, null, null, 1200]),
        freeMb: random.pick([0, 100]),
      },
      target: 'main',
      place: { at: 'worktree' },
      only: null,
      publish: isUserBusy ? 'end' : random.pick(['end', 'end', 'each', 'each', 'manual']),
      method: random.chance(0.7) ? 'merge' : 'squash',
      agents: random.pick(AGENTS),
      budget: {
        maxCostUsd: random.pick([null, null, null, random.between(2, 8) / 2]),
        maxTokens: random.pick([null, null, null, null, random.between(1000, 4000)]),
      },
      gatesHash: 'g',
      hasGates: true,
      base: random.pick(['hold', 'hold', 'hold', 'tell', 'off']),
      gateTimeoutAuto: random.chance(0.3),
      ...createTrainPolicy(random, isCrowd),
    },
    past: random.chance(0.08) ? random.pick(['published', 'landed', 'red']) : null,
    isUserBusy,
    isRedAtFirst: random.chance(0.12),
    tracked: random.chance(0.7),
    hostility: quiet ? 0 : random.pick([0.005, 0.015, 0.03, 0.06]),
    hostileMoments: random.between(80, 400),
    agents: {
      failing: random.pick([0, 0.1, 0.3]),
      idle: random.pick([0, 0.1, 0.3]),
      hanging: random.pick([0, 0, 0.1]),
      bad: random.pick([0, 0.15, 0.4]),
      unfinished: random.pick([0.1, 0.4]),
      speaking: random.pick([0, 0.1, 0.3]),
      stalling: random.pick([0, 0, 0.1]),
      limits: random.pick([0, 0, 0.05, 0.15]),
      rates: random.pick([0, 0, 0, 0, 0, 0.1]),
      logouts: random.pick([0, 0, 0, 0.08]),
      warnings: random.pick([0, 0, 0.1]),
      straying: random.pick([0, 0, 0, 0.05]),
      mending: random.pick([0.9, 0.9, 0.5, 0]),
      stacking: random.pick([0, 0, 0.15]),
    },
    protect: random.pick([[], [], ['area-6.txt']]),
    flakes: random.pick([0, 0, 0.05]),
    faults: quiet ? 0 : random.pick([0, 0, 0.01, 0.05]),
  };
}
