import type { Event } from '../../../src/core/model/events.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { Loop, Phase, State } from '../../../src/core/model/model.ts';
import { conflictsOf, get, isAncestor, isGreen, treeOf } from './repo.ts';
import type { Sim } from './sim.ts';
import { fail, itemOf } from './sim.ts';

/** The phases a loop may go to from each one. What has landed stays. */
const NEXT: Readonly<Record<Phase['at'], readonly Phase['at'][]>> = {
  preparing: ['iterating', 'updating', 'gating', 'ready', 'parked'],
  iterating: ['gating', 'updating', 'parked', 'preparing', 'waiting'],
  gating: ['ready', 'iterating', 'updating', 'parked', 'preparing'],
  updating: ['iterating', 'gating', 'parked', 'preparing'],
  waiting: ['preparing', 'updating', 'parked'],
  ready: ['landed', 'parked', 'updating'],
  reviewing: ['updating', 'parked', 'landed', 'preparing'],
  landed: [],
  parked: ['ready', 'preparing', 'updating'],
};

/** What may make a loop leave the queue, or come back to it. */
const CAUSES: Readonly<Record<string, readonly Event['type'][]>> = {
  'ready landed': ['integration-advanced', 'train-built'],
  'ready updating': ['loop-sent-back', 'candidate-tested', 'integration-advanced', 'train-built'],
  'parked ready': ['landing-requested'],
};

/** Looks at each record as it is written: P2, P3, P5 and P6 as far as one step can break them. */
export function watch(sim: Sim, before: State, events: readonly Event[]): void {
  const { state } = sim;
  if (state.loops !== before.loops)
    for (const loop of Object.values(state.loops)) {
      const was = before.loops[loop.id];
      if (was !== undefined && was !== loop && was.phase !== loop.phase) changed(sim, before, was, loop, events);
    }
  for (const id of Object.keys(before.loops)) if (!(id in state.loops)) fail(sim, 'P3', `${id} is nowhere any more`);
  if (state.landingTrouble?.kind === 'main-red' && before.landingTrouble === null) mainBlamed(sim, before, events);
  checkBase(sim);
  countVerdicts(sim, before, events);
  for (const event of events) {
    if (event.type === 'integration-contested' || event.type === 'integration-intruded') sim.counts.contested += 1;
    if (event.type !== 'train-built') continue;
    sim.counts.implied += event.implied.length;
    if (event.cars.some((car) => car.loop === null)) sim.counts.upstreams += 1;
    if (event.contained.length > 0) sim.counts.contained += 1;
  }
}

function changed(sim: Sim, before: State, was: Loop, loop: Loop, events: readonly Event[]): void {
  const [from, to] = [was.phase.at, loop.phase.at];
  if (from === 'landed') return fail(sim, 'P3', `${loop.id} landed, and is ${to} now`);
  if (from === to) return;
  if (!NEXT[from].includes(to)) fail(sim, 'P3', `${loop.id} went from ${from} to ${to}`);
  const causes = CAUSES[`${from} ${to}`];
  if (causes !== undefined && !events.some((event) => causes.includes(event.type)))
    fail(sim, 'P3', `${loop.id} went from ${from} to ${to} by ${events.map((event) => event.type).join(', ')}`);
  if (loop.phase.at === 'landed') landed(sim, loop, loop.phase.commit);
  if (to === 'updating') sim.counts.sentBack += 1;
  if (to === 'parked') sim.counts.parked += 1;
  const isJudged =
    (loop.phase.at === 'parked' && loop.phase.reason === 'red') || (to === 'updating' && loop.rework?.kind === 'red');
  if (from === 'ready' && isJudged) judged(sim, before, was, events);
}

/** The log says so: then it is there, from the head that was ready. */
function landed(sim: Sim, loop: Loop, commit: Sha): void {
  const { repo } = sim.workload;
  sim.counts.landed += 1;
  if (repo.integration === null || !isAncestor(repo, commit, repo.integration))
    fail(sim, 'P2', `${loop.id} landed as ${commit}, which integration does not hold`);
  else if (loop.head === null || !isAncestor(repo, loop.head, repo.integration))
    fail(sim, 'P2', `${loop.id} landed without its head ${loop.head}`);
}

/** No train is tested on what integration no longer is: its verdicts would be about another base. */
function checkBase(sim: Sim): void {
  const { landing, integration } = sim.state;
  if (landing?.stage.at === 'testing' && landing.base !== integration)
    fail(sim, 'P5', `a train is tested on ${landing.base}, while integration is at ${integration}`);
}

/** Where the train stands that was judged: what a record brings comes before what follows from it. */
function baseOf(before: State, events: readonly Event[]): { readonly base: Sha | null; readonly main: Sha | null } {
  for (const event of events) {
    if (event.type === 'train-built') return { base: event.base, main: event.base };
    if (event.type === 'integration-advanced') return { base: event.commit, main: event.commit };
  }
  return { base: before.landing?.base ?? null, main: before.integration };
}

/** Put aside as red: then it is red on a green base, and that base is where integration is as far as is known. */
function judged(sim: Sim, before: State, loop: Loop, events: readonly Event[]): void {
  const { repo, flake, retries } = sim.workload;
  const { base, main } = baseOf(before, events);
  if (base === null || loop.head === null) return fail(sim, 'P5', `${loop.id} was judged without a train`);
  if (base !== main) fail(sim, 'P5', `${loop.id} was judged on ${base}, while integration is at ${main}`);
  const { tokens: under } = get(repo, base);
  const { tokens: head } = get(repo, loop.head);
  const isRed = conflictsOf(repo, under, head).length === 0 && !isGreen(repo, under | head | itemOf(sim, loop.id).tick);
  const proofs = redRuns(sim, before.landing?.fence ?? 0, treeOf(under | head | itemOf(sim, loop.id).tick));
  if (proofs <= (retries === 'auto' ? 0 : retries)) fail(sim, 'P5', `${loop.id} was judged after ${proofs} red runs`);
  if (isRed && isGreen(repo, under)) return;
  if (flake === 0) fail(sim, 'P5', `${loop.id} was put aside as red, and is green on ${base}`);
  else sim.counts.wronged += 1;
}

/** How often the gates called this tree red during one landing. */
function redRuns({ log }: Sim, fence: number, tree: Sha): number {
  const isRed = (event: Event): boolean =>
    event.type === 'candidate-tested' && event.fence === fence && event.tree === tree && event.report.verdict === 'red';
  return log.reduce((sum, { events }) => sum + events.filter(isRed).length, 0);
}

function mainBlamed(sim: Sim, before: State, events: readonly Event[]): void {
  const { repo, flake } = sim.workload;
  const { base } = baseOf(before, events);
  if (flake === 0 && (base === null || isGreen(repo, get(repo, base).tokens)))
    fail(sim, 'P5', `main was called red at ${base}, and is green`);
}

/** Further runs of a red prefix and of the base, and one more where a lie is likely. */
const CONFIRMATIONS = 3;

/** Something lands or leaves within a bounded number of verdicts, as long as nobody interferes and no gate lies. */
function countVerdicts(sim: Sim, before: State, events: readonly Event[]): void {
  const { landing } = sim.state;
  const { flake, gateSlots, retries } = sim.workload;
  if (landing === null || flake > 0) return;
  const mark = `${landing.fence}:${landing.build}:${landing.base}:${landing.cars.length}`;
  if (mark !== sim.quiet.mark) sim.quiet = { mark, verdicts: 0 };
  if (before.landing === null || !events.some((event) => event.type === 'candidate-tested')) return;
  sim.quiet.verdicts += 1;
  const search = Math.ceil(Math.log(Math.max(2, landing.cars.length)) / Math.log(gateSlots + 1));
  const rounds = 1 + search + (retries === 'auto' ? 1 : retries) + CONFIRMATIONS;
  if (sim.quiet.verdicts > rounds * gateSlots)
    fail(sim, 'P6', `${sim.quiet.verdicts} verdicts on ${landing.cars.length} cars, and nothing happened`);
}
