import { loopsOf, VERDICTS_MAX } from '../../../src/core/model/model.ts';
import type { Commit, Tokens } from './repo.ts';
import { conflictsOf, firstParents, get, isAncestor, isGreen } from './repo.ts';
import type { Sim } from './sim.ts';
import { fail, itemOf } from './sim.ts';
import { isTroubleReal } from './strangers.ts';

/** When all is done: is the repository, and what the log says of it, as it must be? */
export function reckon(sim: Sim): void {
  checkMoves(sim);
  const { integration } = sim.workload.repo;
  if (integration === null) return;
  const line = firstParents(sim.workload.repo, integration);
  for (const one of line) if (one.isOurs) checkLanding(sim, one);
  checkConservation(sim, line);
  checkUser(sim);
  checkHygiene(sim);
}

/** P1, P4 and P9: every value a ref ever took. */
function checkMoves(sim: Sim): void {
  const { repo } = sim.workload;
  for (const { ref, from, to, by } of repo.moves) {
    const { isOurs, tokens } = get(repo, to);
    if (isOurs && !isGreen(repo, tokens)) fail(sim, 'P1', `${ref} was at ${to}, which is red`);
    // What a stranger put there goes back; a landing never does.
    const isFree = by === 'user' || (by === 'put-back' && from !== null && !get(repo, from).isOurs);
    if (from !== null && !isFree && !isAncestor(repo, from, to))
      fail(sim, ref === 'target' ? 'P4' : 'P9', `${ref} went from ${from} to ${to}, and what was there is lost`);
    if (ref === 'target' && by !== 'user' && by !== 'publish')
      fail(sim, 'P4', `the user's branch was moved to ${to} by ${by}`);
  }
}

/** P7 and P11: each landing is the merge of what was there with one branch, and brings nothing else. */
function checkLanding(sim: Sim, { id, parents, tokens, lands }: Commit): void {
  const { repo } = sim.workload;
  const [first, second] = parents.map((parent) => get(repo, parent));
  if (first === undefined || second === undefined) return fail(sim, 'P7', `${id} is no merge`);
  const item = lands === null ? null : itemOf(sim, lands);
  const tick = item?.tick ?? 0n;
  if (tokens !== (first.tokens | second.tokens | tick) || conflictsOf(repo, first.tokens, second.tokens).length > 0)
    fail(sim, 'P7', `${id} is not what merging ${second.id} into ${first.id} makes`);
  if ((first.tokens & ~tokens) !== 0n) fail(sim, 'P11', `${id} takes back what was there before`);
  if (item === null) return;
  const brought = tokens & ~first.tokens;
  const own = [item, ...(sim.state.loops[item.loop]?.onto ?? []).map((below) => itemOf(sim, below))];
  // What it builds on may have been started anew since: then it brings what is left of the old one.
  if ((brought & ~own.reduce((all, one) => all | one.own, tick | takenBack(sim, item.loop))) !== 0n)
    fail(sim, 'P11', `${id} lands more than ${item.loop} made`);
  if (!pinnedHeads(sim, item.loop).has(second.id))
    fail(sim, 'P9', `${id} lands ${second.id}, which was never the ready head of ${item.loop}`);
}

/** What the user's branch held when it was merged into a loop: taken back there since, the loop brings it all the same. */
function takenBack({ log, workload: { repo } }: Sim, loop: string): Tokens {
  const held = repo.moves.filter(({ ref, by }) => ref === 'target' && by === 'user');
  const bases = log.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'main-merged' && event.loop === loop ? [event.base] : [])),
  );
  return bases
    .filter((base) => held.some(({ to }) => isAncestor(repo, base, to)))
    .reduce((all, base) => all | get(repo, base).tokens, 0n);
}

/** The heads of a loop that passed its gates, or that a person named. */
function pinnedHeads(sim: Sim, loop: string): ReadonlySet<string> {
  const heads = new Set<string>();
  for (const { events } of sim.log)
    for (const event of events) {
      if (event.type === 'gates-ended' && event.loop === loop) heads.add(event.head);
      if (event.type === 'landing-requested') for (const one of event.items) if (one.loop === loop) heads.add(one.head);
    }
  return heads;
}

/** P2, P3 and P8: what landed is there once, what did not is not, and the log knows which is which. */
function checkConservation(sim: Sim, line: readonly Commit[]): void {
  const { repo } = sim.workload;
  const { state } = sim;
  const tip = line[0];
  if (tip === undefined) return;
  const isStuck = state.landingTrouble !== null;
  for (const loop of loopsOf(state)) {
    // Taken out by a person between a landing and the word about it: nobody looks for it any more.
    const isTakenOut = loop.phase.at === 'parked' && /ejected|base-parked/.test(loop.phase.reason);
    if (isTakenOut && sim.counts.crashes > 0) continue;
    const times = line.filter((one) => one.lands === loop.id).length;
    if (times > 1) fail(sim, 'P3', `${loop.id} landed ${times} times`);
    if (loop.head === null) continue;
    const isThere = isAncestor(repo, loop.head, tip.id);
    const item = itemOf(sim, loop.id);
    if (loop.phase.at === 'landed') {
      const { tokens } = get(repo, loop.head);
      if (!isThere || (tokens & ~tip.tokens) !== 0n) fail(sim, 'P2', `${loop.id} landed, and its work is not there`);
      if (state.landed[taskOf(sim, loop.id)] === undefined) fail(sim, 'P8', `${loop.id} landed and its task did not`);
    } else if (times > 0 && !isStuck)
      fail(sim, 'P8', `${loop.id} is in integration, and the log says ${loop.phase.at}`);
    else if (!isStuck && times === 0 && isThere && (item.own & tip.tokens) !== 0n)
      fail(sim, 'P3', `${loop.id} did not land, and its head is in integration`);
    if (!repo.commits.has(loop.head)) fail(sim, 'P2', `the head of ${loop.id} is gone`);
  }
  if (loopsOf(state).length !== sim.items.size) fail(sim, 'P3', 'not every item is accounted for');
}

const taskOf = (sim: Sim, loop: string) =>
  Object.values(sim.state.loops).find((one) => one.id === loop)?.task ?? ('' as never);

/** P9: what landed and the user's own commits come together, unless that is known to be impossible. */
function checkUser(sim: Sim): void {
  const { repo, publish, flake } = sim.workload;
  const { landingTrouble, landed, publishing } = sim.state;
  if (landingTrouble !== null) {
    if (flake === 0 && !isTroubleReal(sim))
      fail(sim, 'P6', `nothing lands because of ${landingTrouble.kind}, which is not so`);
    return;
  }
  if (publish === 'manual' || Object.keys(landed).length === 0 || publishing.blocked !== null) return;
  if (publishing.published !== sim.state.integration)
    fail(sim, 'P9', `${sim.state.integration} is not published, and the user's branch is at ${repo.target}`);
}

/** P12: nothing is left that would have to be cleaned up. */
function checkHygiene(sim: Sim): void {
  const { state } = sim;
  if (state.landing !== null) fail(sim, 'P12', 'a landing is left');
  for (const host of Object.keys(state.hosts)) {
    const wished = sim.parts.brain.wishes(state, host as never);
    if (wished.length > 0) fail(sim, 'P12', `${host} still wishes ${wished.map((one) => one.type).join(', ')}`);
  }
  if (state.verdicts.length > VERDICTS_MAX) fail(sim, 'P12', 'more verdicts are kept than anybody needs');
  for (const loop of loopsOf(state))
    if (loop.phase.at === 'landed' && (loop.clash !== null || loop.worktreeState === 'made'))
      fail(sim, 'P12', `${loop.id} landed, and something of it is left`);
}
