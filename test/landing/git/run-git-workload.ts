import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../../src/world/contract/world.ts';
import type { Random } from '../../sim/model/random.ts';
import { createRandom } from '../../sim/model/random.ts';
import { until } from '../../world/bundled-child.ts';
import { checkGit } from './check-git.ts';
import { fingerprint } from './fingerprint.ts';
import type { Knobs } from './land-host.ts';
import { landHost, openLanding } from './land-host.ts';
import type { Lander } from './lander.ts';
import { writeReady } from './ready.ts';
import type { Scene } from './scene.ts';
import { createScene, leaveThings } from './scene.ts';

const TRIES_MAX = 100;
const AGAIN_MS = 20;

/** What strangers did, for the reckoning. */
export interface Deeds {
  /** The user's commits that are still theirs. */
  readonly users: string[];
  /** Commits that moved a branch after it was ready. */
  readonly strays: string[];
  acts: number;
}

export interface GitRun {
  readonly scene: Scene;
  readonly knobs: Knobs;
  readonly deeds: Deeds;
  readonly violations: readonly string[];
  readonly met: readonly string[];
}

/** One workload on real git: hosts that are killed, hosts and strangers side by side, then one host alone, then the reckoning. */
export async function runGitWorkload(
  seed: number,
  lander: Lander,
  change: (world: World) => World = (world) => world,
): Promise<GitRun> {
  const random = createRandom(seed * 7919);
  const scene = createScene(random);
  try {
    const knobs: Knobs = {
      gateSlots: random.between(1, 3),
      flakeRetries: 1,
      publish: random.pick(['each', 'end', 'manual'] as const),
    };
    leaveThings(scene.repo);
    await writeReady(scene, await openLanding(scene.repo.dir, knobs));
    const before = fingerprint(scene.repo);
    const deeds: Deeds = { users: [], strays: [], acts: 0 };
    if (random.chance(0.35))
      for (let kill = random.between(1, 2); kill > 0; kill -= 1) await killOne(scene, knobs, random, lander);
    const isBusy = random.chance(0.6);
    const onRecord = (): void => {
      if (isBusy && deeds.acts < 3 && random.chance(0.3)) act(scene, random, deeds);
    };
    const hosts = random.between(1, 2);
    await Promise.all(Array.from({ length: hosts }, () => landHost(scene.repo.dir, knobs, onRecord, change)));
    // Whatever was left by somebody who interfered in the last moment.
    await landHost(scene.repo.dir, knobs, () => undefined, change);
    return { scene, knobs, deeds, ...(await checkGit({ scene, knobs, deeds, before })) };
  } finally {
    scene.repo.remove();
  }
}

/** A host in a process of its own, killed as soon as the log has so many records more. */
async function killOne({ repo }: Scene, knobs: Knobs, random: Random, lander: Lander): Promise<void> {
  const folder = join(repo.dir, '.git', 'paralph', 'log');
  const count = (): number => readdirSync(folder).length;
  const goal = count() + random.between(1, 8);
  const { child, ended } = lander.start(repo.dir, knobs);
  let hasEnded = false;
  child.on('close', () => (hasEnded = true));
  await until('the log grows', () => hasEnded || count() >= goal, 30_000);
  child.kill('SIGKILL');
  const complaint = await ended;
  if (complaint !== null) throw new Error(`the host ended before it was killed: ${complaint}`);
}

/** The user commits on main, or amends; an agent moves its branch. */
function act({ repo, items, pairs }: Scene, random: Random, deeds: Deeds): void {
  deeds.acts += 1;
  const kind = random.pick(['plain', 'fix', 'break', 'file', 'amend', 'move', 'move'] as const);
  if (kind === 'move') {
    const item = random.pick(items);
    const tree = repo.git('rev-parse', `${item.head}^{tree}`);
    const parent = random.chance(0.5) ? item.head : item.base;
    const stray = repo.git('commit-tree', '-m', 'stray', '-p', parent, tree);
    repo.git('update-ref', `refs/heads/${item.branch}`, stray);
    deeds.strays.push(stray);
    return;
  }
  const pair = random.pick(pairs);
  const word = kind === 'fix' ? pair.mend : kind === 'break' ? pair.first : `u${deeds.acts}`;
  const path = `new/user${deeds.acts}`;
  if (kind === 'file') editLine(repo.dir, random, deeds.acts);
  writeFileSync(join(repo.dir, path), `${word}\n`);
  asUser(repo, 'add', path, ...(kind === 'file' ? ['f0'] : []));
  const last = deeds.users.at(-1);
  const isAmend = kind === 'amend' && last !== undefined && repo.git('rev-parse', 'HEAD') === last;
  if (isAmend) deeds.users.pop();
  asUser(repo, 'commit', '-q', '-m', `user ${deeds.acts}`, ...(isAmend ? ['--amend'] : []));
  deeds.users.push(repo.git('rev-parse', 'HEAD'));
}

/** Publishing may hold the index at this moment; a person would type it again. */
function asUser(repo: Scene['repo'], ...args: string[]): void {
  for (let tries = 1; ; tries += 1) {
    try {
      repo.git(...args);
      return;
    } catch (error) {
      if (tries === TRIES_MAX || !/index\.lock/.test(String(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}

function editLine(dir: string, random: Random, nth: number): void {
  const at = random.pick([5, 10, 15]);
  const lines = Array.from({ length: 30 }, (_, line) => `file 0 line ${line}${line === at ? ` by user ${nth}` : ''}\n`);
  writeFileSync(join(dir, 'f0'), lines.join(''));
}
