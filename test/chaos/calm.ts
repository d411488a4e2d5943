import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Hosts } from './hosts.ts';
import type { Stage } from './nemesis.ts';
import { begin } from './nemesis.ts';
import type { Scene } from './scene.ts';
import { loopsNow } from './tell-ralph.ts';

/** How long the last host may take to bring everything to its end. */
const CALM_MS_MAX = 600_000;
/** How many hosts may be needed then. */
const HOSTS_MAX = 2;

/** Whether the nemesis still has somebody to torment: the last quarter of the tasks comes to its end in peace. */
export function isUnfinished(scene: Scene, discarded: ReadonlySet<string>): boolean {
  try {
    const said = scene.git(
      'log',
      '--first-parent',
      '--format=%(trailers:key=Ralph-Task,valueonly)',
      'refs/paralph/int/main',
    );
    const landed = said.split('\n').filter((line) => line !== '' && !line.includes('in-place-'));
    const over = new Set([...landed.map((line) => line.trim()), ...discarded]);
    return over.size < scene.kinds.size * 0.75;
  } catch {
    return true;
  }
}

/** Nobody torments any more: one host more must bring everything to its end, whatever the others left. */
export async function calm(stage: Stage): Promise<readonly string[]> {
  const { scene, hosts, tally, people, inPlace } = stage;
  scene.free();
  await Promise.all(stage.pending);
  tally.add('recoveries');
  let last = begin(stage, null);
  const wrong = await inPlace.finish();
  if (wrong.length > 0) return wrong;
  for (let left = HOSTS_MAX; ; left -= 1) {
    const resumed = await people.resumeAll();
    if (!(await areAllOver(hosts)))
      return [`a host still ran ${CALM_MS_MAX / 1000} s after the nemesis had gone, see ${last.log}`];
    // An error planted into a host that still lived stops all landings until somebody runs again.
    const isStuck = /^landing is stopped: failpoint /m.test(readFileSync(last.log, 'utf8'));
    const isUnlocked = removeDeadLock(scene);
    // Whoever goes on with one loop alone leaves a further attempt at its task to a host.
    if (left === 0 || !(isStuck || isUnlocked || resumed > 0 || (await isLeft(stage)))) break;
    last = begin(stage, null);
  }
  const { code, signal } = await last.ended;
  return code !== null && [0, 1, 6].includes(code) ? [] : [`the last host exits ${code ?? signal}, see ${last.log}`];
}

/** An agent's git that was killed in the user's checkout leaves a lock that could be the user's own: they do what `doctor` says. */
function removeDeadLock({ repo }: Scene): boolean {
  const lock = join(repo, '.git/index.lock');
  if (!existsSync(lock)) return false;
  rmSync(lock);
  return true;
}

function areAllOver(hosts: Hosts): Promise<boolean> {
  const all = Promise.all(hosts.all.map((host) => host.ended));
  return Promise.race([all.then(() => true), sleep(CALM_MS_MAX, false, { ref: false })]);
}

/** A loop that somebody let go on may have been handed to a host that was just about to leave. */
async function isLeft({ scene, programs }: Stage): Promise<boolean> {
  const rows = (await loopsNow(scene, programs)) ?? [];
  return rows.some(({ state, reason }) => state === 'stopped' || reason === 'queued');
}
