import { unreachable } from '../../../src/core/model/assert.ts';
import type { Command } from '../../../src/core/model/commands.ts';
import type { Event } from '../../../src/core/model/events.ts';
import { hostId } from '../../../src/core/model/ids.ts';
import { knownOf } from '../../../src/core/loops/integration-value.ts';
import type { Observed } from '../../../src/core/plan/reconcile.ts';
import { advanceIntegration } from '../../../src/engine/effects/advance-integration.ts';
import { buildTrain } from '../../../src/engine/effects/build-train.ts';
import { putBackIntegration } from '../../../src/engine/effects/put-back-integration.ts';
import { publish } from '../../../src/engine/effects/publish.ts';
import { testCandidate } from '../../../src/engine/effects/test-candidate.ts';
import { updateWorktree } from '../../../src/engine/effects/update-worktree.ts';
import { gate, iterate } from './iterate.ts';
import { contextFor, seenValue } from './model-world.ts';
import type { Job, ModelHost, Sim } from './sim.ts';
import { watch } from './watch.ts';
import { policyOf } from './workload.ts';

const NEVER = new AbortController().signal;
const LOOK = 'look';

export function write(sim: Sim, by: string, events: readonly Event[]): void {
  if (events.length === 0) return;
  const before = sim.state;
  sim.nowMs += sim.random.between(1, 400);
  const record = { seq: before.seq + 1, at: sim.nowMs, by, events };
  sim.state = sim.parts.brain.fold(before, record);
  sim.log.push(record);
  watch(sim, before, events);
}

export function join(sim: Sim, slots: number): ModelHost {
  const policy = policyOf(sim.workload, slots);
  const id = hostId(`h${sim.hosts.length + 1}`);
  const host: ModelHost = { id, context: contextFor(sim, policy), isAlive: true, jobs: [], began: null, decided: null };
  sim.hosts.push(host);
  write(sim, id, [{ type: 'host-joined', host: id, mark: { pid: 2, startTime: id, bootId: 'b' }, policy }]);
  return host;
}

/** One thing a host does: something under way goes on, or it looks around, or it decides. False: there was nothing to do. */
export async function turn(sim: Sim, host: ModelHost): Promise<boolean> {
  const began = host.began !== sim.state && beginWished(sim, host);
  const isUp = sim.state.hosts[host.id]?.state === 'up';
  const { random } = sim;
  if (isUp && (host.jobs.length === 0 || random.chance(0.3))) {
    const decided = host.decided === sim.state ? [] : decide(sim, host);
    if (decided.length > 0) {
      write(sim, host.id, decided);
      return true;
    }
    if (!host.jobs.some((job) => job.command === null) && reconciled(sim, host, observe(sim)).length > 0)
      host.jobs.push({ key: LOOK, command: null, facts: null });
  }
  if (host.jobs.length === 0) return began;
  await goOn(sim, host, random.pick(host.jobs));
  return true;
}

/** As the performer does: starts what is wished and not under way, stops gate runs that nobody wishes any more. */
function beginWished(sim: Sim, host: ModelHost): boolean {
  host.began = sim.state;
  const wished = sim.parts.brain.wishes(sim.state, host.id);
  const keys = new Set(wished.map((command) => command.key));
  for (const job of host.jobs.slice())
    if (job.command?.type === 'test-candidate' && !keys.has(job.key) && sim.random.chance(0.7)) drop(host, job);
  const fresh = wished.filter((command) => !host.jobs.some((job) => job.key === command.key));
  for (const command of fresh) host.jobs.push({ key: command.key, command, facts: null });
  return fresh.length > 0;
}

/** The world first, the log later: between the two anything may happen. */
async function goOn(sim: Sim, host: ModelHost, job: Job): Promise<void> {
  if (job.facts === null) {
    job.facts = await happen(sim, host, job);
    return;
  }
  drop(host, job);
  write(sim, host.id, job.facts(sim.state));
}

/** What a job does to the world, without a word about it. */
export async function happen(sim: Sim, host: ModelHost, job: Job): Promise<NonNullable<Job['facts']>> {
  if (job.command === null) {
    const seen = observe(sim);
    return () => reconciled(sim, host, seen);
  }
  const events = await perform(sim, host, job.command);
  return () => events;
}

function drop(host: ModelHost, job: Job): void {
  host.began = null;
  host.jobs.splice(host.jobs.indexOf(job), 1);
}

function decide(sim: Sim, host: ModelHost): readonly Event[] {
  host.decided = sim.state;
  const { brain } = sim.parts;
  const { state } = sim;
  const { adopts } = host.context.policy.slots === 0 ? { adopts: [] } : brain.schedule(state, host.id);
  return [
    ...adopts.map((one) => ({ type: 'loop-adopted', ...one, host: host.id }) as const),
    ...brain.conflictsToMend(state, host.id).map((loop) => ({ type: 'loop-sent-back', loop, host: host.id }) as const),
    ...(brain.canLand(state) ? [{ type: 'landing-started', host: host.id } as const] : []),
  ];
}

function observe(sim: Sim): Observed {
  const { repo } = sim.workload;
  const deadHosts = sim.hosts.flatMap((other) => (other.isAlive ? [] : [other.id]));
  const { target: targetHead } = repo;
  return {
    nowMs: sim.nowMs,
    day: null,
    deadHosts,
    targetHead,
    integration: { seen: seenValue(repo, knownOf(sim.state)), known: knownOf(sim.state) },
    unheldCommits: [],
    tracker: null,
    stoppedHosts: [],
    freeMb: null,
    missingWorktrees: [],
  };
}

const reconciled = (sim: Sim, host: ModelHost, observed: Observed): readonly Event[] =>
  sim.state.hosts[host.id] === undefined ? [] : sim.parts.brain.reconcile(sim.state, observed, host.id);

async function perform(sim: Sim, host: ModelHost, command: Command): Promise<readonly Event[]> {
  const { context } = host;
  switch (command.type) {
    case 'build-train':
      return buildTrain(context, command);
    case 'test-candidate':
      return testCandidate(context, command, NEVER);
    case 'advance-integration':
      return advanceIntegration(context, command);
    case 'publish':
      return publish(context, command);
    case 'update-worktree':
      return updateWorktree(context, command);
    case 'run-gates':
      return [gate(sim, command)];
    case 'run-iteration':
      return [iterate(sim, command)];
    case 'put-back-integration':
      return putBackIntegration(context, command);
    case 'test-integration':
      throw new Error('no log of a workload is lost');
    case 'retire-worktree':
      return [{ type: 'worktree-retired', loop: command.loop }];
    case 'find-base':
    case 'test-base':
    case 'make-worktree':
      throw new Error('no loop of a workload begins here');
    default:
      return unreachable(command);
  }
}
