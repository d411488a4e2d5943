import type { Command } from '../../../src/core/model/commands.ts';
import type { Event } from '../../../src/core/model/events.ts';
import type { HostId, LoopId } from '../../../src/core/model/ids.ts';
import type { State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import type { Facts } from '../../../src/core/fold/fold.ts';
import type { Brain } from '../../../src/engine/brain.ts';
import { REAL_BRAIN } from '../../../src/engine/brain.ts';
import type { PerformContext } from '../../../src/engine/effects/perform-context.ts';
import type { Integration, World } from '../../../src/world/contract/world.ts';
import type { Random } from '../../sim/model/random.ts';
import type { Commit } from './repo.ts';
import type { Item, Workload } from './workload.ts';

export const PROPERTIES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12'] as const;
export type Property = (typeof PROPERTIES)[number];

export interface Violation {
  readonly property: Property;
  readonly detail: string;
}

/** What decides and what acts. A mutant is one of these with something wrong in it. */
export interface Parts {
  readonly brain: Brain;
  readonly integration: (sim: Sim, real: Integration) => Integration;
  readonly publish: (sim: Sim, real: World['publish']) => World['publish'];
  /** What the gates are heard to say of a car when they say this. */
  readonly gate: (sim: Sim, car: Commit, green: boolean) => boolean;
}

export const REAL_PARTS: Parts = {
  brain: REAL_BRAIN,
  integration: (_sim, real) => real,
  publish: (_sim, real) => real,
  gate: (_sim, _car, green) => green,
};

/** Something a host has begun: first it happens in the world, later it is written down. */
export interface Job {
  readonly key: string;
  readonly command: Command | null;
  /** Null: it has not happened yet. */
  facts: ((state: State) => readonly Event[]) | null;
}

export interface ModelHost {
  readonly id: HostId;
  readonly context: PerformContext;
  isAlive: boolean;
  readonly jobs: Job[];
  /** The states it has asked for wishes and for decisions already: the same state gives the same answer. */
  began: State | null;
  decided: State | null;
}

export interface Counts {
  /** Loops judged red though they were green, and loops that landed. */
  wronged: number;
  landed: number;
  gateRuns: number;
  contested: number;
  crashes: number;
  sentBack: number;
  parked: number;
  userCommits: number;
  upstreams: number;
  implied: number;
  contained: number;
}

export interface Sim {
  readonly workload: Workload;
  readonly random: Random;
  readonly parts: Parts;
  readonly items: ReadonlyMap<LoopId, Item>;
  readonly hosts: ModelHost[];
  readonly log: Facts[];
  readonly violations: Violation[];
  readonly counts: Counts;
  state: State;
  nowMs: number;
  isCalm: boolean;
  userIsDirty: boolean;
  /** Verdicts since something landed or left, and what that was counted for. */
  quiet: { mark: string; verdicts: number };
}

export function createSim(workload: Workload, random: Random, parts: Parts): Sim {
  return {
    workload,
    random,
    parts,
    items: new Map(workload.items.map((item) => [item.loop, item])),
    hosts: [],
    log: [],
    violations: [],
    counts: {
      wronged: 0,
      landed: 0,
      gateRuns: 0,
      contested: 0,
      crashes: 0,
      sentBack: 0,
      parked: 0,
      userCommits: 0,
      upstreams: 0,
      implied: 0,
      contained: 0,
    },
    state: EMPTY_STATE,
    nowMs: 1000,
    isCalm: false,
    userIsDirty: false,
    quiet: { mark: '', verdicts: 0 },
  };
}

/** Each property speaks once: what follows from a broken one says nothing new. */
export function fail(sim: Sim, property: Property, detail: string): void {
  if (sim.violations.some((known) => known.property === property)) return;
  sim.violations.push({ property, detail: `${detail} (record ${sim.state.seq})` });
}

export const itemOf = (sim: Sim, loop: LoopId): Item => {
  const item = sim.items.get(loop);
  if (item === undefined) throw new Error(`the workload has no item ${loop}`);
  return item;
};
