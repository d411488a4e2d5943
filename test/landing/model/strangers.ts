import type { LoopId } from '../../../src/core/model/ids.ts';
import { canBeQueued, landingQueue } from '../../../src/core/loops/landing-queue.ts';
import { loopsOf } from '../../../src/core/model/model.ts';
import { happen, join, write } from './model-host.ts';
import { readyEvents } from './opening.ts';
import type { Tokens } from './repo.ts';
import { commit, conflictsOf, FILES, get, isAncestor, isGreen, move, newToken } from './repo.ts';
import type { ModelHost, Sim } from './sim.ts';

/** Something that no host does: the user, another tool, an agent, a person at the queue, or the end of a process. */
export async function strangerAct(sim: Sim): Promise<void> {
  const { random } = sim;
  const acts: readonly ((sim: Sim) => void | Promise<void>)[] = [
    userCommits,
    userCommits,
    userAmends,
    moveBranch,
    strangerLands,
    strangerFollows,
    personActs,
    personActs,
    arrive,
    (one) => {
      one.userIsDirty = !one.userIsDirty;
    },
    ...(sim.workload.crashes ? [crash, crash, crash, forget] : []),
  ];
  await random.pick(acts)(sim);
}

/** A commit on the user's branch: harmless, in somebody's file, the end of a red pair, or the beginning of one. */
function userCommits(sim: Sim): void {
  const { workload, random, counts } = sim;
  const { repo, items } = workload;
  const kind = random.pick(['plain', 'plain', 'file', 'fix', 'fix', 'break', 'break', 'red'] as const);
  if (kind === 'red' && !random.chance(0.2)) return;
  const token = newToken(repo, kind === 'file' ? random.int(FILES) : null);
  if (kind === 'fix' && repo.rules.length > 0) random.pick(repo.rules).unless |= token;
  if (kind === 'break') repo.rules.push({ all: token | lowest(random.pick(items).own), unless: 0n });
  if (kind === 'red') repo.rules.push({ all: token, unless: 0n });
  const { id, tokens } = get(repo, repo.target);
  move(repo, 'target', commit(repo, [id], tokens | token).id, 'user');
  counts.userCommits += 1;
}

const lowest = (tokens: Tokens): Tokens => tokens & -tokens;

/** Their last commit is replaced by another one, if it is theirs. */
function userAmends({ workload: { repo } }: Sim): void {
  const last = get(repo, repo.target);
  const [parent] = last.parents;
  if (last.isOurs || parent === undefined || last.parents.length > 1) return;
  move(repo, 'target', commit(repo, [parent], get(repo, parent).tokens | newToken(repo)).id, 'user');
}

/** An agent that does not know it is done goes on committing, or starts its branch anew. */
function moveBranch({ workload: { repo, items }, random }: Sim): void {
  const item = random.pick(items);
  const branch = `ralph/${item.loop}`;
  const from = get(repo, random.chance(0.5) ? (repo.branches.get(branch) ?? item.head) : item.base);
  const stray = newToken(repo);
  item.own |= stray;
  repo.branches.set(branch, commit(repo, [from.id], from.tokens | stray).id);
}

/** Another tool moves integration ahead, to what nothing vouches for. */
function strangerLands({ workload: { repo }, random }: Sim): void {
  if (repo.integration === null || !random.chance(0.5)) return;
  const { id, tokens } = get(repo, repo.integration);
  move(repo, 'integration', commit(repo, [id], tokens | newToken(repo)).id, 'stranger');
}

/** Another tool takes integration along with the user's own commits, and the log may believe that. */
function strangerFollows(sim: Sim): void {
  const { repo } = sim.workload;
  if (repo.integration === null || !isAncestor(repo, repo.integration, repo.target)) return;
  userCommits(sim);
  move(repo, 'integration', repo.target, 'stranger');
}

function personActs(sim: Sim): void {
  const { random, state } = sim;
  const queue = landingQueue(state);
  const kind = random.pick(['pause', 'bump', 'eject', 'request'] as const);
  if (kind === 'pause') write(sim, 'person', [{ type: state.queuePaused ? 'queue-resumed' : 'queue-paused' }]);
  if (kind === 'bump' && queue.length > 0) write(sim, 'person', [{ type: 'loop-bumped', loop: random.pick(queue).id }]);
  if (kind === 'eject' && queue.length > 0 && random.chance(0.3))
    write(sim, 'person', [{ type: 'loop-ejected', loop: random.pick(queue).id }]);
  if (kind === 'request') request(sim);
}

/** What was put aside is asked for again, with its branch as it stands now. */
function request(sim: Sim): void {
  const { repo } = sim.workload;
  const items = loopsOf(sim.state).flatMap((loop) => {
    const head = repo.branches.get(`ralph/${loop.id}`);
    if (!canBeQueued(loop) || head === undefined || loop.head === null) return [];
    // Landed by a host that died before it said so: then another head of it is another matter.
    const isThere = repo.integration !== null && isAncestor(repo, loop.head, repo.integration);
    return [{ loop: loop.id, head: isThere ? loop.head : head }];
  });
  if (items.length > 0) write(sim, 'person', [{ type: 'landing-requested', items: [sim.random.pick(items)] }]);
}

/** A branch gets ready while others are landing. */
export function arrive(sim: Sim): void {
  const late = sim.workload.items.find((item) => sim.state.loops[item.loop] === undefined);
  if (late === undefined || !late.onto.every((id: LoopId) => sim.state.loops[id] !== undefined)) return;
  write(sim, 'maker', readyEvents(sim, [late], sim.state.seq + 1));
}

/** A host dies. What it was doing has happened or not, and nobody wrote it down. Sometimes the next one dies as well. */
async function crash(sim: Sim): Promise<void> {
  const living = sim.hosts.filter((host) => host.isAlive);
  if (living.length === 0) return;
  const host = sim.random.pick(living);
  host.isAlive = false;
  sim.counts.crashes += 1;
  for (const job of host.jobs)
    if (job.facts === null && job.command !== null && sim.random.chance(0.5)) await happen(sim, host, job);
  host.jobs.length = 0;
  if (living.length === 1 || sim.random.chance(0.5)) join(sim, sim.workload.hostSlots);
}

/** A host is taken for dead though it is only slow: what it has begun goes on happening. */
function forget(sim: Sim): void {
  const up = sim.hosts.filter((host: ModelHost) => host.isAlive && sim.state.hosts[host.id] !== undefined);
  if (up.length < 2) return;
  const host = sim.random.pick(up);
  write(sim, 'another', [{ type: 'host-lost', host: host.id }]);
}

/** The user's own branch, merged with what landed, cannot go on: it conflicts or it is red. */
export function isTroubleReal(sim: Sim): boolean {
  const { repo } = sim.workload;
  if (repo.integration === null) return false;
  const [ours, theirs] = [get(repo, repo.integration).tokens, get(repo, repo.target).tokens];
  return conflictsOf(repo, ours, theirs).length > 0 || !isGreen(repo, ours | theirs);
}
