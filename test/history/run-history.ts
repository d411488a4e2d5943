import { runHost } from '../../src/engine/host.ts';
import type { Brain } from '../../src/engine/brain.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import { taskId, taskKey } from '../../src/core/model/ids.ts';
import type { Loop, State } from '../../src/core/model/model.ts';
import { loopsOf } from '../../src/core/model/model.ts';
import type { Task } from '../../src/core/model/task.ts';
import { withLightAbort } from '../sim/model/light-abort.ts';
import { createRandom } from '../sim/model/random.ts';
import { createRealm, stateOf, TRACKER } from '../sim/model/realm.ts';
import type { Realm } from '../sim/model/realm.ts';
import type { Scenario } from '../sim/model/scenario.ts';
import { createScenario } from '../sim/model/scenario.ts';
import { livingHosts, startHost } from '../sim/model/start-host.ts';
import type { Shape } from './shapes.ts';

const MOMENTS_MAX = 200_000;
const CALL_MEAN_MS = 20_000;

export interface History {
  readonly landed: number;
  readonly calls: number;
  /** Of one task, the most. */
  readonly mostCalls: number;
  /** All that it needs has landed, nothing that spoils it has, and it is not done: with why it was put aside. */
  readonly left: readonly string[];
  /** Loops that have come to no end. */
  readonly open: readonly string[];
  readonly spanMs: number;
}

export interface HistoryOptions {
  readonly tasks: readonly Shape[];
  readonly names: 'never' | 'half' | 'always';
  readonly seed: number;
  readonly slots?: number;
  readonly brain?: Brain;
}

/** The real host on one backlog: agents can only work where what they need is there. */
export function runHistory({ tasks, names, seed, slots = 4, brain = REAL_BRAIN }: HistoryOptions): Promise<History> {
  return withLightAbort(async () => {
    const random = createRandom(seed);
    const realm = createRealm(scenarioOf(tasks, names), random, brain);
    realm.isCalm = true;
    startHost(realm, runHost, { ...realm.scenario.policy, slots });
    realm.stirred = true;
    for (let moments = 0; livingHosts(realm).length > 0 && moments < MOMENTS_MAX; moments += 1) {
      if (realm.violation !== null) throw new Error(`${realm.violation.invariant}: ${realm.violation.detail}`);
      if (!realm.timeline.step()) break;
      if (!realm.stirred) continue;
      realm.stirred = false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (livingHosts(realm).length > 0) throw new Error(`the run does not end (seed ${seed})`);
    return reckon(realm, tasks);
  });
}

function scenarioOf(tasks: readonly Shape[], names: HistoryOptions['names']): Scenario {
  const calm = createScenario(createRandom(1));
  return {
    ...calm,
    tasks: tasks.map(({ id }, at): Task => taskOf(id, at)),
    history: {
      callMeanMs: CALL_MEAN_MS,
      names,
      needs: Object.fromEntries(tasks.map(({ id, needs }) => [id, needs])),
      spoils: Object.fromEntries(tasks.map(({ id, spoiledBy }) => [id, spoiledBy])),
    },
    isCrowd: false,
    hosts: 1,
    past: null,
    isUserBusy: false,
    isRedAtFirst: false,
    tracked: true,
    hostility: 0,
    faults: 0,
    flakes: 0,
    protect: [],
    policy: {
      ...calm.policy,
      maxWorkers: 99,
      strategy: 'queue',
      mergePolicy: 'auto_merge',
      limits: {
        iterations: 10,
        runtimeMs: 3_600_000,
        noProgress: 3,
        attempts: 1,
        consecutiveFailures: 3,
        graceMs: 100,
        maxCostUsd: null,
        maxTokens: null,
        freeMb: 0,
      },
      publish: 'end',
      method: 'merge',
      agents: [{ name: 'ann', account: 'a' }],
      budget: { maxCostUsd: null, maxTokens: null },
      base: 'off',
      resolver: null,
      train: { gateSlots: 'auto', cores: 4, flakeRetries: 'auto', onConflict: 'requeue', maxAttempts: 2 },
    },
    agents: {
      ...calm.agents,
      straying: 0,
    },
  };
}

const taskOf = (id: string, at: number): Task => ({
  id: taskId(id),
  title: `Do ${id}`,
  body: '',
  acceptance: [],
  group: null,
  deps: [],
  priority: null,
  status: 'open',
  blockedReason: null,
  line: at + 1,
});

function reckon(realm: Realm, tasks: readonly Shape[]): History {
  const state = stateOf(realm);
  const calls = new Map<string, number>();
  for (const agent of realm.agents.values()) {
    const task = state.loops[agent.loop]?.task ?? '';
    calls.set(task, (calls.get(task) ?? 0) + 1);
  }
  const isLanded = (id: string): boolean => state.landed[taskKey(TRACKER, taskId(id))] !== undefined;
  const left = tasks.filter(
    ({ id, needs, spoiledBy }) => !isLanded(id) && needs.every(isLanded) && !spoiledBy.some(isLanded),
  );
  return {
    landed: tasks.filter(({ id }) => isLanded(id)).length,
    calls: realm.agents.size,
    mostCalls: Math.max(0, ...calls.values()),
    left: left.map(({ id }) => `${id}: ${whyLeft(state, id)}`),
    open: loopsOf(state)
      .filter(({ phase }) => phase.at !== 'landed' && phase.at !== 'parked')
      .map(({ id, phase }) => `${id} is ${phase.at}`),
    spanMs: realm.timeline.now() - 1_000_000,
  };
}

function whyLeft(state: State, id: string): string {
  const loop = loopsOf(state).findLast(({ task }: Loop) => task === taskKey(TRACKER, taskId(id)));
  return loop?.phase.at === 'parked' ? loop.phase.detail : (loop?.phase.at ?? 'never begun');
}
