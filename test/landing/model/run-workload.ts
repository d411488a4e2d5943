import { loopsOf } from '../../../src/core/model/model.ts';
import { createRandom } from '../../sim/model/random.ts';
import { join, turn, write } from './model-host.ts';
import { readyEvents } from './opening.ts';
import { reckon } from './reckon.ts';
import type { Parts, Sim } from './sim.ts';
import { createSim, fail, REAL_PARTS } from './sim.ts';
import { arrive, strangerAct } from './strangers.ts';
import { createWorkload } from './workload.ts';

/** More than any workload needs once nobody interferes. */
const CALM_TURNS_MAX = 1500;

/** One workload from its first branch to the last: some time with strangers, then calm, then the reckoning. */
export async function runWorkload(seed: number, parts: Parts = REAL_PARTS): Promise<Sim> {
  const random = createRandom(seed);
  const workload = createWorkload(random);
  const sim = createSim(workload, random, parts);
  const first = workload.items.filter((item) => !item.isLate);
  write(sim, 'maker', readyEvents(sim, first, 1));
  for (let host = 0; host < workload.hosts; host += 1) join(sim, workload.hostSlots);
  await strangeTime(sim);
  await calmTime(sim);
  reckon(sim);
  return sim;
}

async function strangeTime(sim: Sim): Promise<void> {
  const { workload, random } = sim;
  for (let moment = 0; moment < workload.moments; moment += 1) {
    if (random.chance(workload.hostility)) await strangerAct(sim);
    await turn(sim, random.pick(sim.hosts.filter((host) => host.isAlive)));
  }
}

/** Nobody interferes any more; one more host comes, which can mend. */
async function calmTime(sim: Sim): Promise<void> {
  sim.isCalm = true;
  sim.userIsDirty = false;
  if (sim.state.queuePaused) write(sim, 'person', [{ type: 'queue-resumed' }]);
  while (loopsOf(sim.state).length < sim.items.size) arrive(sim);
  join(sim, sim.workload.onConflict === 'stop' ? 0 : 2);
  const living = sim.hosts.filter((host) => host.isAlive);
  let idle = 0;
  for (let turns = 0; idle < living.length; turns += 1) {
    if (turns > CALM_TURNS_MAX) return fail(sim, 'P6', `not done after ${turns} turns`);
    const host = living[turns % living.length];
    idle = host !== undefined && (await turn(sim, host)) ? 0 : idle + 1;
  }
  const left = loopsOf(sim.state).filter((loop) => loop.phase.at !== 'landed' && loop.phase.at !== 'parked');
  if (left.length > 0 && sim.state.landingTrouble === null)
    fail(sim, 'P6', `nobody does anything, and ${left.map((one) => `${one.id} is ${one.phase.at}`).join(', ')}`);
}
