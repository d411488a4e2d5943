import { taskId } from '../../../src/core/ids.ts';
import type { HostPolicy } from '../../../src/core/model.ts';
import type { Task } from '../../../src/core/task.ts';
import type { Random } from './random.ts';

/** What one seed is about: the tasks, how hosts are told to work, how bad the agents and the world are. */
export interface Scenario {
  readonly tasks: readonly Task[];
  readonly hosts: number;
  readonly policy: Omit<HostPolicy, 'slots'>;
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

export interface AgentHabits {
  readonly failing: number;
  readonly idle: number;
  readonly hanging: number;
  readonly bad: number;
  readonly unfinished: number;
  /** Says by a verb what it does, finds, or cannot do. */
  readonly speaking: number;
  readonly stalling: number;
  /** Chances that the account behind it has enough of it. */
  readonly limits: number;
  readonly rates: number;
  readonly logouts: number;
  readonly warnings: number;
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

export function createScenario(random: Random): Scenario {
  const tasks: Task[] = [];
  for (let count = random.between(2, 5); count > 0; count -= 1)
    tasks.push(createTask(random, `t${tasks.length}`, tasks));
  const quiet = random.chance(0.05);
  return {
    tasks,
    hosts: random.between(1, 3),
    policy: {
      tracker: 'PRD.md',
      strategy: random.chance(0.7) ? 'queue' : 'group',
      mergePolicy: random.chance(0.6) ? 'auto_merge' : 'manual',
      limits: {
        iterations: random.between(2, 5),
        runtimeMs: random.between(2000, 8000),
        noProgress: random.between(1, 3),
        attempts: random.between(1, 2),
        consecutiveFailures: random.between(1, 3),
        graceMs: 100,
        maxCostUsd: random.pick([null, null, null, 1.5]),
        maxTokens: random.pick([null, null, null, null, 1200]),
        logMb: 1,
        outputMb: 10,
      },
      target: 'main',
      publish: random.pick(['end', 'end', 'each', 'each', 'manual']),
      method: random.chance(0.7) ? 'merge' : 'squash',
      agents: random.pick(AGENTS),
      budget: {
        maxCostUsd: random.pick([null, null, null, random.between(2, 8) / 2]),
        maxTokens: random.pick([null, null, null, null, random.between(1000, 4000)]),
      },
      gatesHash: 'g',
      hasGates: true,
    },
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
    },
    protect: random.pick([[], [], ['area-6.txt']]),
    flakes: random.pick([0, 0, 0.05]),
    faults: quiet ? 0 : random.pick([0, 0, 0.01, 0.05]),
  };
}
