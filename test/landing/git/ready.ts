import type { Event } from '../../../src/core/model/events.ts';
import { hostId, taskKey } from '../../../src/core/model/ids.ts';
import { NO_USAGE } from '../../../src/core/model/usage.ts';
import type { Opened } from './land-host.ts';
import { TRACKER } from './land-host.ts';
import type { GitItem, Scene } from './scene.ts';

const MAKER = hostId('maker');

/** Writes into the log what hosts write of branches that were worked on and passed their own gates. */
export async function writeReady({ repo, items }: Scene, { world, policy }: Opened): Promise<void> {
  const { head: begun } = await world.integration.sync({ head: null, granted: [] });
  const seen = await world.tracker.look();
  if (seen === null || 'problems' in seen) throw new Error('the tracker cannot be read');
  const lives = [];
  for (const [index, item] of items.entries()) {
    const task = seen.tasks[index];
    if (task === undefined) throw new Error(`no task ${index}`);
    const preview = await world.integration.preview(item.head, task.id);
    await world.integration.pin(item.loop, item.head);
    const trees = {
      base: repo.git('rev-parse', `${item.base}^{tree}`),
      head: repo.git('rev-parse', `${item.head}^{tree}`),
    };
    lives.push(...lifeOf(item, taskKey(TRACKER, task.id), trees, preview?.tree ?? trees.head));
  }
  const events: readonly Event[] = [
    { type: 'host-joined', host: MAKER, mark: world.hosts.own, policy: { ...policy, slots: 1 } },
    { type: 'integration-moved', head: begun, users: true },
    { type: 'tasks-read', tracker: TRACKER, digest: seen.digest, tasks: seen.tasks },
    ...lives,
    { type: 'host-draining', host: MAKER },
    { type: 'host-left', host: MAKER },
  ];
  const written = await world.log.append(0, MAKER, world.clock.nowMs(), events);
  if (!written.ok) throw new Error('the log is not empty');
}

function lifeOf(
  { loop, branch, base, head, onto }: GitItem,
  task: ReturnType<typeof taskKey>,
  trees: { readonly base: string; readonly head: string },
  tested: string,
): readonly Event[] {
  const baseTree = trees.base as typeof base;
  const tree = trees.head as typeof base;
  const ended = { loop, fence: 1, n: 1, head, tree, durationMs: 10 };
  return [
    { type: 'task-claimed', loop, task, host: MAKER, slot: 1, branch, onto },
    {
      type: 'worktree-made',
      loop,
      fence: 1,
      path: '/nowhere',
      base,
      baseTree,
      head: base,
      tree: baseTree,
      reused: false,
    },
    {
      type: 'iteration-ended',
      ...ended,
      outcome: 'claimed',
      said: '',
      exit: 0,
      agent: 'scripted',
      account: 'scripted',
      usage: NO_USAGE,
      failure: null,
      hold: null,
      guided: 0,
      swept: 0,
      odd: null,
      breach: null,
    },
    {
      type: 'gates-ended',
      ...ended,
      tested: tested as typeof base,
      report: { verdict: 'green', failing: null, tail: '' },
      protected: [],
      changed: [],
    },
    { type: 'worktree-retired', loop },
  ];
}
