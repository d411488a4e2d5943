import type { Event } from '../../../src/core/model/events.ts';
import { hostId, taskId, taskKey } from '../../../src/core/model/ids.ts';
import { NO_USAGE } from '../../../src/core/model/usage.ts';
import { task } from '../../sim/tale.ts';
import { GREEN } from './model-world.ts';
import { get, treeOf } from './repo.ts';
import type { Sim } from './sim.ts';
import type { Item } from './workload.ts';
import { policyOf, testedTokens, TRACKER } from './workload.ts';

const MAKER = hostId('maker');

/** What the log says of branches that were worked on and passed their own gates, by a host that has left since. */
export function readyEvents(sim: Sim, items: readonly Item[], fence: number): readonly Event[] {
  const { workload } = sim;
  const known = sim.state.trackers[TRACKER]?.tasks ?? [];
  const tasks = [...known, ...items.map((item) => task(item.task, { priority: item.priority }))];
  return [
    {
      type: 'host-joined',
      host: MAKER,
      mark: { pid: 1, startTime: '1', bootId: 'b' },
      policy: policyOf(workload, 1),
    },
    ...(sim.state.integration === null && workload.repo.integration !== null
      ? [{ type: 'integration-moved', head: workload.repo.integration, users: true } as const]
      : []),
    { type: 'tasks-read', tracker: TRACKER, digest: String(tasks.length), tasks },
    ...items.flatMap((item) => lifeOf(sim, item, fence)),
    { type: 'host-draining', host: MAKER },
    { type: 'host-left', host: MAKER },
  ];
}

function lifeOf({ workload: { repo } }: Sim, item: Item, fence: number): readonly Event[] {
  const { loop } = item;
  const branch = `ralph/${loop}`;
  const [base, head] = [get(repo, item.base), get(repo, item.head)];
  const made = { loop, fence, base: base.id, baseTree: base.tree, head: base.id, tree: base.tree };
  const ended = { loop, fence, n: 1, head: head.id, tree: head.tree, durationMs: 1000 };
  const tested = treeOf(testedTokens(repo, head.id, item.tick));
  return [
    {
      type: 'task-claimed',
      loop,
      task: taskKey(TRACKER, taskId(item.task)),
      host: MAKER,
      slot: 1,
      branch,
      onto: item.onto,
      // What does not fit gets no other loop in the end.
      again: true,
    },
    { type: 'worktree-made', ...made, path: branch, reused: false },
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
    { type: 'gates-ended', ...ended, tested, report: GREEN, protected: [], changed: [] },
  ];
}
