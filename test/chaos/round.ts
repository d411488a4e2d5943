import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../e2e/harness/until.ts';
import { createRandom } from '../sim/model/random.ts';
import { calm, isUnfinished } from './calm.ts';
import { checkInvariants } from './check-invariants.ts';
import { crowd, everybody, hit } from './crowd.ts';
import { fingerprint } from './fingerprint.ts';
import { makeHosts } from './hosts.ts';
import type { Judged } from './judge.ts';
import { judgeAnytime, judgeQuiet } from './judge.ts';
import { watchGreen } from './landings-right.ts';
import { makeLoopsInPlace } from './loops-in-place.ts';
import type { Stage } from './nemesis.ts';
import { begin, start, torment } from './nemesis.ts';
import { makePeople } from './people.ts';
import { makePlace } from './place.ts';
import type { Place } from './place.ts';
import type { Programs, Scene } from './scene.ts';
import { makeScene } from './scene.ts';
import { startStrangers } from './strangers.ts';
import type { Tally } from './tally.ts';
import { ask, howTasksEnded } from './tasks-ended.ts';
import { makeUser } from './user.ts';

export interface RoundOrder {
  readonly seed: number;
  readonly tasks: number;
  readonly parallel: number;
  readonly programs: Programs;
  readonly tally: Tally;
  /** When the nemesis goes home at the latest. */
  readonly calmAtMs: number;
  readonly keep: boolean;
  readonly print: (line: string) => void;
  /** Something done to the scene before it is judged: for proving that the judge sees it. */
  readonly forge?: (scene: Scene) => void;
}

export interface RoundEnd {
  readonly violations: readonly string[];
  /** Where it can be looked at; null: it is cleared away. */
  readonly kept: string | null;
  /** Whether the disk could be filled up. */
  readonly isMounted: boolean;
}

const GONE_MS_MAX = 30_000;
/** Housekeeping a person may do at any time; none of it may lose or touch anything. */
const HOUSEKEEPING = [['doctor', '--fix'], ['prune'], ['parallel', 'clean']] as const;

/** A repository with tasks, hosts and a user, tormented for a while, brought to its end in peace, and judged. */
export async function playRound(order: RoundOrder): Promise<RoundEnd> {
  const place = makePlace();
  open.add(place);
  const violations: string[] = [];
  let isKept = order.keep;
  try {
    const tasks = Array.from({ length: order.tasks }, (_, at) => `t${at}`);
    const scene = makeScene(place, createRandom(order.seed), tasks, order.programs);
    violations.push(...(await play(order, scene)));
    isKept ||= violations.length > 0;
    return { violations, kept: isKept ? place.root : null, isMounted: place.isMounted };
  } finally {
    for (const member of everybody(place, true)) hit(member, 'SIGKILL');
    place.free();
    if (!isKept) place.remove();
    open.delete(place);
  }
}

const open = new Set<Place>();

/** For whoever is asked to stop in the middle: no process, mount or folder of a round stays. */
export function abandonRounds(): void {
  for (const place of open) {
    for (const member of everybody(place, true)) hit(member, 'SIGKILL');
    place.remove();
  }
}

async function play(order: RoundOrder, scene: Scene): Promise<readonly string[]> {
  const { tally, programs } = order;
  const user = makeUser(scene);
  const strangers = await startStrangers(scene, [scene.repo, user.worktree, scene.root]);
  const hosts = makeHosts(scene, programs);
  const people = makePeople(scene, programs, tally);
  const violations: string[] = [];
  const inPlace = makeLoopsInPlace({
    scene,
    programs,
    user,
    begin: (words, failpoints) => start({ hosts, tally, programs }, words, failpoints),
    count: (what) => tally.add(what),
  });
  const judged: Judged = { scene, user, strangers, people, inPlace, green: watchGreen(scene) };
  const stage: Stage = {
    scene,
    programs,
    hosts,
    user,
    people,
    inPlace,
    tally,
    parallel: order.parallel,
    random: createRandom(order.seed ^ 0x5eed),
    pending: new Set(),
    asking: new Set(),
    onRecovery: () => {
      tally.add('recoveries');
      violations.push(...judgeAnytime(judged));
    },
    onWrong: (found) => void violations.push(...found),
  };
  try {
    begin(stage, null);
    while (violations.length === 0 && Date.now() < order.calmAtMs && isUnfinished(scene, people.discarded)) {
      await torment(stage);
      judged.green.look();
      tally.most('peak MB', hosts.peakMb());
    }
    violations.push(...(await calm(stage)));
    order.forge?.(scene);
    // Who was killed needs a moment to leave the process table.
    await until('nobody at work', () => crowd(scene).length === 0, GONE_MS_MAX).catch(() => undefined);
    violations.push(...judgeQuiet(judged), ...hosts.complaints());
    const ending = howTasksEnded(scene, programs, people.discarded);
    violations.push(...ending.complaints);
    for (const words of HOUSEKEEPING) violations.push(...keepHouse(stage, words));
    violations.push(...judgeQuiet(judged).map((one) => `after housekeeping: ${one}`));
    const ralph = [process.execPath, programs.main];
    const before = fingerprint(scene.repo);
    const found = await checkInvariants({ repo: scene.repo, ralph, before, env: scene.env });
    violations.push(...found.filter((one) => !isEmptyFolder(one)));
    count(stage, ending, judged);
    return violations;
  } finally {
    strangers.end();
  }
}

/** A command that fails is a violation, unless it only says that something is left for a person. */
function keepHouse({ scene, programs }: Stage, words: readonly string[]): readonly string[] {
  const { code, stderr } = ask(scene, programs, ...words);
  return code === 0 || code === 1 || code === 6 ? [] : [`ralph ${words.join(' ')} exits ${code}: ${stderr}`];
}

/** A host that is killed after it took a name and before it noted so leaves an empty folder, which is nobody's work. */
function isEmptyFolder(violation: string): boolean {
  const [, path] = /^I7: (.+) is no worktree$/.exec(violation) ?? [];
  return path !== undefined && readdirSync(path).length === 0;
}

function count({ tally, scene }: Stage, { landed, parked }: ReturnType<typeof howTasksEnded>, { green }: Judged): void {
  tally.add('rounds');
  tally.add('tasks', scene.kinds.size);
  tally.add('landings', landed);
  tally.add('values', green.values());
  for (const [reason, many] of Object.entries(parked)) tally.add(`parked ${reason}`, many);
  const runs = join(scene.repo, '.git/paralph/runs');
  const loops = readdirSync(runs, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  tally.add('loops', loops.length);
  tally.add('iterations', loops.flatMap(({ name }) => readdirSync(join(runs, name))).length);
}
