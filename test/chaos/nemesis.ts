import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { FAILPOINTS } from '../../src/world/os/failpoint.ts';
import type { Random } from '../sim/model/random.ts';
import { createRandom } from '../sim/model/random.ts';
import type { Member } from './crowd.ts';
import { crowd, hit } from './crowd.ts';
import type { Host, Hosts } from './hosts.ts';
import type { LoopsInPlace } from './loops-in-place.ts';
import { PLACE_KINDS } from './loops-in-place.ts';
import type { People } from './people.ts';
import type { Programs, Scene } from './scene.ts';
import type { Tally } from './tally.ts';
import type { User } from './user.ts';

export interface Stage {
  readonly scene: Scene;
  readonly programs: Programs;
  readonly hosts: Hosts;
  readonly user: User;
  readonly people: People;
  readonly inPlace: LoopsInPlace;
  readonly tally: Tally;
  readonly parallel: number;
  /** Decides what is done; what it hits depends on the moment. */
  readonly random: Random;
  /** Called when a host is about to start over after a death. */
  readonly onRecovery: () => void;
  readonly onWrong: (violations: readonly string[]) => void;
  /** Waits that must be over before a round is judged. */
  readonly pending: Set<Promise<unknown>>;
  /** Commands of people that are under way. */
  readonly asking: Set<Promise<unknown>>;
}

const ACTS = {
  user: 20,
  killAgent: 14,
  killGit: 14,
  killHost: 9,
  stopHost: 7,
  stopAgent: 8,
  join: 9,
  disk: 4,
  killAll: 1,
  people: 9,
  place: 18,
} as const;
export type Act = keyof typeof ACTS;
const DECK = (Object.keys(ACTS) as Act[]).flatMap((act) => Array.from({ length: ACTS[act] }, () => act));
const HOSTS_MAX = 3;
/** So many people at once type something. */
const PEOPLE_MAX = 2;

/** One act of the nemesis, and the pause before the next. Between two acts at least one host is up. */
export async function torment(stage: Stage): Promise<void> {
  const { random } = stage;
  const act = random.pick(DECK);
  const pauseMs = random.between(60, 500);
  const forMs = random.between(500, 6000);
  const failpoints = random.chance(0.6) ? drawFailpoints(random) : null;
  // Streams of their own: what depends on the moment must not shift what is chosen after it.
  const [whom, whim] = [random.next(), createRandom(random.int(2 ** 30))];
  await perform(stage, act, { forMs, failpoints, whom, whim });
  await sleep(pauseMs);
  if (stage.hosts.up().length === 0) {
    stage.onRecovery();
    begin(stage, failpoints);
  }
}

/** Starts a host, with something armed in it now and then. */
export function begin(stage: Stage, failpoints: string | null): Host {
  stage.tally.add('hosts');
  return start(stage, ['run', '--parallel', '--max-workers', String(Math.ceil(stage.parallel / 2))], failpoints);
}

/** Any run, and what came of it. */
export function start(
  { hosts, tally, programs }: Pick<Stage, 'hosts' | 'tally' | 'programs'>,
  words: readonly string[],
  failpoints: string | null,
): Host {
  const host = hosts.start({ words, failpoints: programs.testMain === null ? null : failpoints });
  void host.ended.then(({ code, signal }) => {
    if (signal === null) tally.add(`exit ${code}`);
    const reached = readFileSync(host.log, 'utf8').matchAll(/^failpoint \S+ (\w+)$/gm);
    for (const [, action] of reached) tally.add(`failpoint ${action}`);
  });
  return host;
}

/** Late enough that a host does something first, mostly. */
function drawFailpoints(random: Random): string {
  const one = (): string =>
    `${random.pick(FAILPOINTS)}#${random.between(1, 6)}=${random.pick(['kill', 'kill', 'stop', 'enospc', 'throw'])}`;
  return Array.from({ length: random.between(2, 5) }, one).join(';');
}

interface Chosen {
  readonly forMs: number;
  readonly failpoints: string | null;
  /** Which of those that are there, from 0 to 1. */
  readonly whom: number;
  readonly whim: Random;
}

async function perform(stage: Stage, act: Act, { forMs, failpoints, whom, whim }: Chosen): Promise<void> {
  const { scene, hosts, user, tally } = stage;
  switch (act) {
    case 'user':
      tally.add(`user ${await user.act(whim, stage.inPlace.allows())}`);
      return;
    case 'killAgent':
      kill(stage, 'agent', pickOne(whom, agents(scene)));
      return;
    case 'killGit':
      kill(stage, 'git', await soonGit(scene));
      return;
    case 'killHost':
      kill(stage, 'host', pickOne(whom, hosts.alive()));
      return;
    case 'stopHost':
      hold(stage, 'host', pickOne(whom, hosts.alive()), forMs);
      return;
    case 'stopAgent':
      hold(stage, 'agent', pickOne(whom, agents(scene)), forMs);
      return;
    case 'join':
      if (hosts.up().length >= HOSTS_MAX) return;
      tally.add('joined');
      begin(stage, failpoints);
      return;
    case 'disk':
      await fullDisk(stage, forMs);
      return;
    case 'killAll':
      for (const host of hosts.alive()) kill(stage, 'host', host);
      for (const member of crowd(scene)) kill(stage, member.isGit ? 'git' : 'agent', member);
      return;
    case 'people':
      if (stage.asking.size < PEOPLE_MAX) wait(stage, stage.asking, stage.people.act(whim));
      return;
    case 'place':
      stage.onWrong(await stage.inPlace.act(whim.pick(PLACE_KINDS), failpoints));
  }
}

/** Everything inside a loop but its gits: agents, shims, gates. */
function agents(scene: Scene): readonly Member[] {
  return crowd(scene).filter((member) => member.isLoops && !member.isGit);
}

const pickOne = <T>(whom: number, from: readonly T[]): T | null => from[Math.floor(whom * from.length)] ?? null;

function kill({ tally }: Stage, what: string, one: Pick<Member, 'pid' | 'name'> | null): void {
  if (one !== null && hit(one, 'SIGKILL')) tally.add(`kill ${what}`);
}

/** git comes and goes: waits a little for one. */
async function soonGit(scene: Scene): Promise<Member | null> {
  for (let left = 12; left > 0; left -= 1) {
    const gits = crowd(scene).filter((member) => member.isGit);
    if (gits.length > 0) return gits.at(-1) ?? null;
    await sleep(10);
  }
  return null;
}

function hold(stage: Stage, what: string, one: Pick<Member, 'pid' | 'name'> | null, forMs: number): void {
  if (one === null || !hit(one, 'SIGSTOP')) return;
  stage.tally.add(`stop ${what}`);
  wait(
    stage,
    stage.pending,
    sleep(forMs).then(() => void hit(one, 'SIGCONT')),
  );
}

function wait({ pending }: Stage, among: Set<Promise<unknown>>, over: Promise<unknown>): void {
  for (const set of new Set([pending, among])) {
    set.add(over);
    void over.finally(() => set.delete(over));
  }
}

/** The user does nothing meanwhile: what a full disk makes of their own commands is no business of ours. */
async function fullDisk({ scene, tally }: Stage, forMs: number): Promise<void> {
  if (!scene.isMounted) return;
  tally.add('disk full');
  try {
    scene.fill();
    await sleep(forMs / 2);
  } finally {
    scene.free();
  }
}
