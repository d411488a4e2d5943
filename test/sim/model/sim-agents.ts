import { AppError } from '../../../src/core/errors.ts';
import type { Agents, Iteration } from '../../../src/world/world.ts';
import type { Op } from './op.ts';
import type { Realm, SimAgent, SimHost } from './realm.ts';
import { commitDirty, deliver, fail, newName, stateOf, tipOf } from './realm.ts';

export const PROMISE = 'COMPLETE';

const keyOf = ({ loop, n }: Pick<Iteration, 'loop' | 'n'>): string => `${loop}/${n}`;

/** Agents are processes of their own: they go on when their host dies, and the next one finds them. */
export function createSimAgents(realm: Realm, host: SimHost, op: Op): Agents {
  return {
    wasStarted: (iteration) => realm.agents.has(keyOf(iteration)),
    start: (iteration) => op(() => start(realm, host, iteration)),
    finish: (iteration, options) => finish(realm, host, iteration, options),
  };
}

function start(realm: Realm, host: SimHost, iteration: Iteration): void {
  const key = keyOf(iteration);
  if (realm.agents.get(key)?.startedBy === host.pid) fail(realm, 'effects-run-once', `${key} was started twice`);
  if (realm.agents.has(key)) throw new AppError('E_BUSY', `${key} was started before`);
  const { random, timeline, scenario } = realm;
  const agent: SimAgent = {
    loop: iteration.loop,
    n: iteration.n,
    cwd: iteration.cwd,
    startedBy: host.pid,
    startedMs: timeline.now(),
    end: null,
    text: '',
    waiting: [],
  };
  realm.agents.set(key, agent);
  const habits = scenario.agents;
  const ms = random.chance(0.15) ? random.between(900, 3000) : random.between(30, 900);
  if (!random.chance(habits.idle)) timeline.after(random.between(0, ms), () => change(realm, agent));
  if (random.chance(habits.hanging)) return;
  timeline.after(ms, () => {
    const failed = random.chance(habits.failing);
    agent.text = random.chance(habits.unfinished) ? 'more to do' : `done\n<promise>${PROMISE}</promise>\n`;
    endAgent(agent, { how: 'exited', code: failed ? 3 : 0 });
  });
}

/** It writes something, of which the gates may think little; often it mends what they said. */
function change(realm: Realm, agent: SimAgent): void {
  const worktree = realm.worktrees.get(agent.cwd);
  if (agent.end !== null || worktree === undefined || !worktree.exists) return;
  const { random, git } = realm;
  const loop = stateOf(realm).loops[agent.loop];
  const flaws = tipOf(realm, worktree)?.tree.flaws ?? [];
  const token = {
    id: newName(realm, `${agent.loop}.${agent.n}.`),
    area: random.int(7),
    bad: random.chance(realm.scenario.agents.bad),
    fixes: loop?.lastGate?.verdict === 'red' && random.chance(0.7) ? (flaws[0] ?? null) : null,
  };
  worktree.dirty.add(git.addToken(token));
  if (random.chance(0.5)) commitDirty(realm, worktree);
}

export function endAgent(agent: SimAgent, end: NonNullable<SimAgent['end']>): void {
  if (agent.end !== null) return;
  agent.end = end;
  for (const tell of agent.waiting.splice(0)) tell();
}

function finish(
  realm: Realm,
  host: SimHost,
  iteration: Iteration,
  { signal, timeoutMs }: Parameters<Agents['finish']>[1],
): ReturnType<Agents['finish']> {
  const { timeline, random } = realm;
  const agent = realm.agents.get(keyOf(iteration));
  if (agent === undefined) return Promise.reject(new AppError('E_PROCESS', 'no such run folder'));
  return new Promise((resolve) => {
    let settled = false;
    const settle = (how: 'ended' | 'interrupted' | 'timed-out'): void => {
      if (settled) return;
      settled = true;
      const wasRunning = agent.end === null;
      // Stopping it is the host's doing; whoever else waits sees a process without an exit code, or with one of TERM.
      endAgent(agent, random.chance(0.5) ? { how: 'lost' } : { how: 'exited', code: 143 });
      const end = wasRunning && how !== 'ended' ? ({ how } as const) : (agent.end ?? { how: 'lost' });
      const durationMs = timeline.now() - agent.startedMs;
      resolve({ end, durationMs, swept: 0, finalText: agent.text });
    };
    const soon = (how: Parameters<typeof settle>[0]) => (): void =>
      deliver(realm, host, random.between(1, 30), () => settle(how));
    if (agent.end !== null) return soon('ended')();
    agent.waiting.push(soon('ended'));
    if (signal.aborted) soon('interrupted')();
    else signal.addEventListener('abort', soon('interrupted'));
    timeline.at(agent.startedMs + timeoutMs, () => deliver(realm, host, 0, () => settle('timed-out')));
  });
}
