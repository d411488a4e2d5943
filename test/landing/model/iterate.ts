import type { Command } from '../../../src/core/model/commands.ts';
import type { Event } from '../../../src/core/model/events.ts';
import { NO_USAGE } from '../../../src/core/model/usage.ts';
import { GREEN, RED } from './model-world.ts';
import { commit, get, isGreen, newToken, treeOf, violated } from './repo.ts';
import type { Sim } from './sim.ts';
import { itemOf } from './sim.ts';
import { testedTokens } from './workload.ts';

/** The owner of work that was sent back: mends what is red with its part in it, or gives up in its own way. */
export function iterate(sim: Sim, { loop, fence, n }: Extract<Command, { type: 'run-iteration' }>): Event {
  const { repo } = sim.workload;
  const item = itemOf(sim, loop);
  const branch = `ralph/${loop}`;
  const before = get(repo, repo.branches.get(branch) ?? item.head);
  let after = before;
  if (item.mends) {
    const mending = newToken(repo);
    item.own |= mending;
    after = commit(repo, [before.id], before.tokens | mending);
    for (const rule of violated(repo, after.tokens)) rule.unless |= mending;
    repo.branches.set(branch, after.id);
  }
  return {
    type: 'iteration-ended',
    loop,
    fence,
    n,
    outcome: item.mends ? 'claimed' : 'worked',
    head: after.id,
    tree: after.tree,
    said: '',
    exit: 0,
    agent: 'scripted',
    account: 'scripted',
    usage: NO_USAGE,
    failure: null,
    hold: null,
    guided: 0,
    durationMs: 1000,
    swept: 0,
    odd: null,
    breach: null,
  };
}

/** The gates in its own worktree, on what would land if nobody else landed first. They do not lie here. */
export function gate(sim: Sim, { loop, fence, n }: Extract<Command, { type: 'run-gates' }>): Event {
  const { repo } = sim.workload;
  const item = itemOf(sim, loop);
  const { id: head, tree } = get(repo, repo.branches.get(`ralph/${loop}`) ?? item.head);
  const tokens = testedTokens(repo, head, item.tick);
  const report = isGreen(repo, tokens) ? GREEN : RED;
  return {
    type: 'gates-ended',
    loop,
    fence,
    n,
    head,
    tree,
    tested: treeOf(tokens),
    report,
    durationMs: 1000,
    protected: [],
    changed: [],
  };
}
