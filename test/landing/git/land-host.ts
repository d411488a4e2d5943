import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostPolicy, State } from '../../../src/core/model/model.ts';
import type { PublishMode, Settings } from '../../../src/core/model/settings.ts';
import type { OnRecord } from '../../../src/engine/journal.ts';
import { runHost } from '../../../src/engine/host.ts';
import { landPolicy } from '../../../src/faces/cli/run/policy.ts';
import { settle } from '../../../src/text/config/settle.ts';
import { readIdentity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openWorld } from '../../../src/world/real-world.ts';
import { openTracker } from '../../../src/world/trackers/tracker-file.ts';
import type { World } from '../../../src/world/contract/world.ts';

export const TRACKER = 'PRD.md';

/** What differs from workload to workload. */
export interface Knobs {
  readonly gateSlots: number;
  readonly flakeRetries: number;
  readonly publish: PublishMode;
}

export interface Opened {
  readonly world: World;
  readonly policy: HostPolicy;
  readonly settings: Settings;
}

/** The real world around a repository, for a host that only lands. */
export async function openLanding(dir: string, knobs: Knobs): Promise<Opened> {
  const repo = findRepository(dir);
  const { settings: plain } = settle([]);
  const settings: Settings = {
    ...plain,
    parallel: { ...plain.parallel, mergePolicy: 'auto_merge' },
    gates: { ...plain.gates, commands: ['sh gate.sh'] },
    landing: {
      ...plain.landing,
      publish: knobs.publish,
      gateSlots: knobs.gateSlots,
      flakeRetries: knobs.flakeRetries,
    },
  };
  const tracker = openTracker(repo, 'main', TRACKER);
  const { env } = process;
  const identity = await readIdentity(repo);
  pretendProgram(dir);
  const world = await openWorld({ repo, identity, settings, agents: [], target: 'main', tracker, env, tell: () => {} });
  return { world, settings, policy: landPolicy({ settings, tracker: TRACKER, target: 'main', env }) };
}

/** A world wants to know where its program is, for agents. There are none here, so any file of that name will do. */
function pretendProgram(dir: string): void {
  const main = join(dirname(dir), 'main.js');
  if (!existsSync(main)) writeFileSync(main, '');
  process.argv[1] = main;
}

/** Lands what is in the queue, as `ralph land` would. */
export async function landHost(
  dir: string,
  knobs: Knobs,
  onRecord: OnRecord = () => undefined,
  change: (world: World) => World = (world) => world,
): Promise<State> {
  const { world, policy, settings } = await openLanding(dir, knobs);
  return runHost(change(world), {
    policy,
    completion: { signal: settings.completionSignal, promise: settings.completionPromise },
    gateCommands: settings.gates.commands,
    protect: [],
    needs: null,
    landing: settings.landing,
    pull: settings.forge.pull,
    opening: () => [],
    drain: new AbortController().signal,
    force: new AbortController().signal,
    onRecord,
    onWarning: () => undefined,
  });
}
