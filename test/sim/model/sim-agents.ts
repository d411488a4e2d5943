import { AppError } from '../../../src/core/model/errors.ts';
import type { AgentOrder, Agents, Iteration, IterationResult } from '../../../src/world/contract/world.ts';
import type { IterationEnd } from '../../../src/text/agents/report.ts';
import { beginLife, endAgent, SILENCE } from './agent-life.ts';
import type { Op } from './op.ts';
import type { Realm, SimAgent, SimHost } from './realm.ts';
import { agentsOf, deliver, fail } from './realm.ts';

const keyOf = ({ loop, n }: Pick<Iteration, 'loop' | 'n'>): string => `${loop}/${n}`;

/** Agents are processes of their own: they go on when their host dies, and the next one finds them. */
export function createSimAgents(realm: Realm, host: SimHost, op: Op): Agents {
  return {
    wasStarted: (iteration) => realm.agents.has(keyOf(iteration)),
    start: (iteration, order) => {
      realm.onStart(host, iteration, order);
      return op(() => start(realm, host, iteration, order));
    },
    steer: (iteration, { id, text }) => {
      const agent = realm.agents.get(keyOf(iteration));
      if (agent === undefined || agent.end !== null || !agent.canTalk || realm.random.chance(0.1)) return false;
      // What lies in its inbox it may never come to read, and then nothing that came later either.
      agent.isDeaf ||= realm.random.chance(0.2);
      if (agent.isDeaf) return true;
      tell(realm, iteration, [text]);
      agent.guided = id;
      return true;
    },
    noteCommits: () => Promise.resolve(),
    finish: (iteration, options) => finish(realm, host, iteration, options),
  };
}

function tell(realm: Realm, iteration: Iteration, texts: readonly string[]): void {
  for (const text of texts) realm.told.set(text, (realm.told.get(text) ?? new Set()).add(keyOf(iteration)));
}

function start(realm: Realm, host: SimHost, iteration: Iteration, order: AgentOrder): void {
  const key = keyOf(iteration);
  if (realm.agents.get(key)?.startedBy === host.pid) fail(realm, 'effects-run-once', `${key} was started twice`);
  if (realm.agents.has(key)) throw new AppError('E_BUSY', `${key} was started before`);
  const chosen = agentsOf(host.policy).find(({ name }) => name === order.agent);
  if (chosen === undefined) throw new AppError('E_UNKNOWN_AGENT', `No agent is named ${order.agent}.`);
  tell(realm, iteration, JSON.parse(order.prompt) as readonly string[]);
  const agent: SimAgent = {
    loop: iteration.loop,
    n: iteration.n,
    cwd: iteration.cwd,
    startedBy: host.pid,
    startedMs: realm.timeline.now(),
    ...chosen,
    guided: order.guided,
    isDeaf: false,
    canTalk: realm.random.chance(0.5),
    end: null,
    report: SILENCE,
    waiting: [],
  };
  realm.agents.set(key, agent);
  beginLife(realm, agent);
}

function finish(
  realm: Realm,
  host: SimHost,
  iteration: Iteration,
  { signal, timeoutMs }: Parameters<Agents['finish']>[1],
): Promise<IterationResult> {
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
      const end: IterationEnd = wasRunning && how !== 'ended' ? { how } : (agent.end ?? { how: 'lost' });
      const durationMs = timeline.now() - agent.startedMs;
      const { name, account, guided, report } = agent;
      resolve({ agent: name, account, guided, end, durationMs, swept: 0, report });
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
